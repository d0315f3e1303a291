"""Trains a model of the digits with differential privacy, by opacus: `dropzero torchrun examples/torch/with_opacus.py`.

Needs `pip install opacus`.
"""

import hashlib

import torch
from opacus import PrivacyEngine
from opacus.distributed import DifferentiallyPrivateDistributedDataParallel
from sklearn.datasets import load_digits
from torch import distributed, nn
from torch.utils.data import DataLoader, TensorDataset


def main() -> None:
    distributed.init_process_group("gloo")
    torch.manual_seed(0)
    digits = load_digits()
    data = TensorDataset(torch.tensor(digits.images, dtype=torch.float32).flatten(1) / 16, torch.tensor(digits.target))
    model = DifferentiallyPrivateDistributedDataParallel(nn.Sequential(nn.Linear(64, 32), nn.ReLU(), nn.Linear(32, 10)))
    model, optimizer, batches = PrivacyEngine().make_private(
        module=model,
        optimizer=torch.optim.SGD(model.parameters(), 0.5),
        data_loader=DataLoader(data, 128),
        noise_multiplier=0.5,
        max_grad_norm=1.0,
        poisson_sampling=False,
        noise_generator=torch.Generator().manual_seed(distributed.get_rank()),
    )
    for images, labels in batches:
        optimizer.zero_grad()
        loss = nn.functional.cross_entropy(model(images), labels)
        loss.backward()
        optimizer.step()
    distributed.all_reduce(mean := loss.detach() / distributed.get_world_size())
    print(f"loss {mean:.6f}")
    parameters = b"".join(each.detach().numpy().tobytes() for each in model.parameters())
    print("sha256", hashlib.sha256(parameters).hexdigest())
    distributed.destroy_process_group()


if __name__ == "__main__":
    main()
