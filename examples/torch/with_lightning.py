"""Trains a model of the digits with Lightning: `dropzero torchrun examples/torch/with_lightning.py`.

Needs `pip install lightning`.
"""

import hashlib
import os

import torch
from lightning import LightningModule, Trainer, seed_everything
from sklearn.datasets import load_digits
from torch import Tensor, nn
from torch.utils.data import DataLoader, TensorDataset


class Digits(LightningModule):
    def __init__(self) -> None:
        super().__init__()
        self.model = nn.Sequential(nn.Linear(64, 32, bias=False), nn.BatchNorm1d(32), nn.ReLU(), nn.Linear(32, 10))

    def training_step(self, batch: tuple[Tensor, Tensor]) -> Tensor:
        return nn.functional.cross_entropy(self.model(batch[0]), batch[1])

    def validation_step(self, batch: tuple[Tensor, Tensor]) -> None:
        self.log("loss", nn.functional.cross_entropy(self.model(batch[0]), batch[1]), sync_dist=True)

    def configure_optimizers(self) -> torch.optim.Optimizer:
        return torch.optim.Adam(self.parameters(), 1e-2)


def main() -> None:
    seed_everything(0)
    digits = load_digits()
    data = TensorDataset(torch.tensor(digits.images, dtype=torch.float32).flatten(1) / 16, torch.tensor(digits.target))
    trainer = Trainer(
        accelerator="cpu",
        devices=1,
        num_nodes=int(os.environ["WORLD_SIZE"]),
        strategy="ddp",
        max_epochs=1,
        accumulate_grad_batches=2,
        gradient_clip_val=1.0,
        logger=False,
        enable_checkpointing=False,
        enable_progress_bar=False,
        enable_model_summary=False,
    )
    model = Digits()
    trainer.fit(model, DataLoader(data, 32, shuffle=True), DataLoader(data, 128))
    if trainer.is_global_zero:
        print(f"loss {trainer.callback_metrics['loss']:.6f}")
    parameters = b"".join(each.detach().numpy().tobytes() for each in model.parameters())
    print("sha256", hashlib.sha256(parameters).hexdigest())


if __name__ == "__main__":
    main()
