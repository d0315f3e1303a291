"""Trains a model of the digits with ignite: `dropzero torchrun examples/torch/with_ignite.py`.

Needs `pip install pytorch-ignite`.
"""

import hashlib

import ignite.distributed as idist
import torch
from ignite.engine import Engine, Events, create_supervised_evaluator
from ignite.metrics import Accuracy, Loss
from sklearn.datasets import load_digits
from torch import Tensor, nn
from torch.utils.data import TensorDataset


def train(rank: int) -> None:
    torch.manual_seed(0)
    digits = load_digits()
    data = TensorDataset(torch.tensor(digits.images, dtype=torch.float32).flatten(1) / 16, torch.tensor(digits.target))
    batches = idist.auto_dataloader(data, batch_size=64, shuffle=True)
    model = idist.auto_model(nn.Sequential(nn.Linear(64, 32), nn.ReLU(), nn.Linear(32, 10)))
    optimizer = idist.auto_optim(torch.optim.Adam(model.parameters(), 1e-2))

    def step(engine: Engine, batch: tuple[Tensor, Tensor]) -> float:
        optimizer.zero_grad()
        loss = nn.functional.cross_entropy(model(batch[0]), batch[1])
        loss.backward()
        optimizer.step()
        return float(loss)

    trainer = Engine(step)
    evaluator = create_supervised_evaluator(model, {"accuracy": Accuracy(), "loss": Loss(nn.functional.cross_entropy)})

    @trainer.on(Events.EPOCH_COMPLETED)
    def evaluate() -> None:
        found = evaluator.run(batches).metrics
        if rank == 0:
            print(f"accuracy {found['accuracy']:.4f} loss {found['loss']:.6f}")

    trainer.run(batches, max_epochs=2)
    parameters = b"".join(each.detach().cpu().numpy().tobytes() for each in model.parameters())
    print("sha256", hashlib.sha256(parameters).hexdigest())


if __name__ == "__main__":
    with idist.Parallel(backend="gloo") as parallel:
        parallel.run(train)
