"""The papers' optimization methods by name: estimators of gradients, step sizes, and optimizers made of them."""
