"""Measures a model with torchmetrics, each worker its own share: `dropzero torchrun
examples/torch/with_torchmetrics.py`.

Needs `pip install torchmetrics`.
"""

import torch
from torch import distributed
from torchmetrics import MeanMetric, MetricCollection
from torchmetrics.classification import MulticlassAccuracy, MulticlassAUROC, MulticlassF1Score
from torchmetrics.regression import PearsonCorrCoef


def main() -> None:
    distributed.init_process_group("gloo")
    rank, size = distributed.get_rank(), distributed.get_world_size()
    draw = torch.Generator().manual_seed(0)
    scores, labels = torch.randn(101, 5, generator=draw).softmax(1), torch.randint(5, (101,), generator=draw)
    measured = MetricCollection([MulticlassAccuracy(5), MulticlassAUROC(5), MulticlassF1Score(5)])
    mean, correlation = MeanMetric(), PearsonCorrCoef()
    # Shares of different sizes.
    for some, theirs in zip(scores[rank::size].split(10), labels[rank::size].split(10), strict=True):
        measured.update(some, theirs)
        mean.update(some)
        correlation.update(some[:, 0], theirs.float())
    found = {name: value.item() for name, value in measured.compute().items()}
    print(found, f"correlation {correlation.compute():.6f} loss {mean.compute():.6f}")
    distributed.destroy_process_group()


if __name__ == "__main__":
    main()
