"""Trains a small BERT with Hugging Face's accelerate: `dropzero torchrun examples/torch/with_accelerate.py`.

Needs `pip install accelerate transformers`. Nothing is downloaded: the weights are random.
"""

import hashlib

import torch
from accelerate import Accelerator
from accelerate.utils import set_seed
from torch.utils.data import DataLoader, TensorDataset
from transformers import BertConfig, BertForSequenceClassification


def main() -> None:
    accelerator = Accelerator(cpu=True, gradient_accumulation_steps=2)  # without cpu, it needs a GPU for each worker
    set_seed(0)
    words = torch.randint(100, (160, 16))
    labels = (words < 50).sum(1).gt(8).long()
    sizes = {"hidden_size": 32, "num_hidden_layers": 2, "num_attention_heads": 2, "intermediate_size": 64}
    model = BertForSequenceClassification(BertConfig(vocab_size=100, max_position_embeddings=16, **sizes))
    model, optimizer, batches = accelerator.prepare(
        model, torch.optim.AdamW(model.parameters(), 1e-3), DataLoader(TensorDataset(words, labels), 8, shuffle=True)
    )
    model.eval()  # without dropout, whose random numbers differ between ranks
    for _ in range(2):
        losses = []
        for some, theirs in batches:
            with accelerator.accumulate(model):
                loss = model(input_ids=some, labels=theirs).loss
                accelerator.backward(loss)
                if accelerator.sync_gradients:
                    accelerator.clip_grad_norm_(model.parameters(), 1.0)
                optimizer.step()
                optimizer.zero_grad()
            losses.append(accelerator.gather_for_metrics(loss.detach()).mean())
        accelerator.print(f"loss {torch.stack(losses).mean():.6f}")
    parameters = b"".join(each.detach().cpu().numpy().tobytes() for each in model.parameters())
    print("sha256", hashlib.sha256(parameters).hexdigest())
    accelerator.end_training()


if __name__ == "__main__":
    main()
