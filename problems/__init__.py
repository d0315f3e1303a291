"""Problems to optimize: losses, gradients and data sets, divided among workers."""
