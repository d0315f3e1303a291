"""Trains a small GPT-2 with the Trainer of Hugging Face's transformers: `dropzero torchrun
examples/torch/with_trainer.py`.

Needs `pip install accelerate transformers`. Nothing is downloaded: the weights are random.
"""

import hashlib
from tempfile import TemporaryDirectory

import torch
from torch import distributed
from torch.utils.data import Dataset
from transformers import GPT2Config, GPT2LMHeadModel, Trainer, TrainingArguments, set_seed


class Counting(Dataset[dict[str, torch.Tensor]]):
    """Rows of 16 numbers, each number one more than the one before it."""

    def __len__(self) -> int:
        return 64

    def __getitem__(self, row: int) -> dict[str, torch.Tensor]:
        words = (torch.arange(16) + 7 * row) % 50
        return {"input_ids": words, "labels": words}


def main(folder: str) -> None:
    set_seed(0)
    config = GPT2Config(vocab_size=50, n_positions=16, n_embd=32, n_layer=2, n_head=2, bos_token_id=0, eos_token_id=0)
    trainer = Trainer(
        GPT2LMHeadModel(config),
        TrainingArguments(
            folder,
            num_train_epochs=2,
            per_device_train_batch_size=4,
            learning_rate=1e-3,
            logging_steps=4,
            save_strategy="no",
            report_to=[],
            disable_tqdm=True,
            use_cpu=True,
        ),
        train_dataset=Counting(),
        eval_dataset=Counting(),
    )
    trainer.train()
    loss = trainer.evaluate()["eval_loss"]
    if trainer.is_world_process_zero():
        print(f"loss {loss:.6f}")
    parameters = b"".join(each.detach().cpu().numpy().tobytes() for each in trainer.model.parameters())
    print("sha256", hashlib.sha256(parameters).hexdigest())
    distributed.destroy_process_group()


if __name__ == "__main__":
    with TemporaryDirectory() as made:
        main(made)
