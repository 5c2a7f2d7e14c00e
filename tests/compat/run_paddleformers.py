"""Trainings of PaddleFormers on either library: ``python run_paddleformers.py KIND FOLDER OUT``.

OUT gets the losses of the steps, as JSON. The weights and data are the same on both libraries.
"""

import functools
import json
import sys

import numpy as np
import paddle
from paddleformers.trainer import Trainer, TrainerCallback, TrainingArguments
from paddleformers.transformers import LlamaConfig, LlamaForCausalLM

VOCABULARY, LENGTH, STEPS = 128, 16, 12


class Losses(TrainerCallback):
    """The loss of each step."""

    def __init__(self):
        self.found = []

    def on_log(self, args, state, control, logs=None, **others):
        """Keep the loss that is logged."""
        if "loss" in logs:
            self.found.append(float(logs["loss"]))


class Rows(paddle.io.Dataset):
    """Sentences of random words, and the word after each."""

    def __init__(self):
        self.words = np.random.default_rng(1).integers(3, VOCABULARY, (64, LENGTH + 1))

    def __len__(self):
        return len(self.words)

    def __getitem__(self, at):
        return {"input_ids": self.words[at, :-1].copy(), "labels": self.words[at, 1:].copy()}


class Pairs(paddle.io.Dataset):
    """Prompts with a chosen and a rejected answer."""

    def __init__(self):
        from paddleformers.datasets.dpo import Sequence

        random = np.random.default_rng(4)
        self.rows = []
        for _ in range(64):
            prompt, chosen, rejected = random.integers(3, 8, 3)
            count, middle = int(prompt + chosen + rejected), int(prompt + chosen)
            words = random.integers(3, VOCABULARY, count).tolist()
            seen = np.tri(count, dtype=bool)
            seen[middle:, prompt:middle] = False
            row = Sequence(
                input_ids=words,
                position_ids=[*range(middle), *range(prompt, prompt + rejected)],
                attention_mask=seen,
                attn_mask_startend_row_indices=None,
                chosen_labels=[0] * prompt + words[prompt + 1 : middle] + [2] + [0] * rejected,
                rejected_labels=[0] * middle + words[middle + 1 :] + [2],
                response_index=[int(prompt), middle, count],
                score_delta=None,
            )
            self.rows.append([row])

    def __len__(self):
        return len(self.rows)

    def __getitem__(self, at):
        return self.rows[at]


def llama(seed=3, **settings):
    """Return a small Llama 3 with the weights of a seed."""
    config = LlamaConfig(
        vocab_size=VOCABULARY, hidden_size=32, intermediate_size=64, num_hidden_layers=2,
        num_attention_heads=4, num_key_value_heads=2, max_position_embeddings=64,
        attention_dropout=0.0, pad_token_id=0, bos_token_id=1, eos_token_id=2,
    )  # fmt: skip
    config._attn_implementation = "eager"
    for name, value in settings.items():
        setattr(config, name, value)
    model = LlamaForCausalLM(config)
    random = np.random.default_rng(seed)
    for name, weight in sorted(model.state_dict().items()):
        values = random.standard_normal(weight.shape) * 0.08 + ("norm" in name)
        weight.set_value(values.astype("float32"))
    return model


def arguments(folder, kind=TrainingArguments, **others):
    """Return the arguments of a training."""
    common = {
        "output_dir": folder, "overwrite_output_dir": True, "max_steps": STEPS,
        "per_device_train_batch_size": 4, "logging_steps": 1, "learning_rate": 5e-3,
        "save_strategy": "no", "report_to": [], "device": "cpu", "seed": 5, "disable_tqdm": True,
    }  # fmt: skip
    return kind(**{**common, **others})


def pretraining(folder):
    losses = Losses()
    trainer = Trainer(
        model=llama(), args=arguments(folder), train_dataset=Rows(), callbacks=[losses]
    )
    trainer.train()
    return losses.found


def tuning(folder):
    """Train with SFTTrainer."""
    from paddleformers.data import default_data_collator
    from paddleformers.trl import SFTConfig, SFTTrainer

    class Words:
        pad_token_id, model_max_length, pad_token = 0, LENGTH, "<pad>"

    losses = Losses()
    trainer = SFTTrainer(
        model=llama(), args=arguments(folder, SFTConfig, max_seq_len=LENGTH), tokenizer=Words(),
        train_dataset=Rows(), data_collator=default_data_collator, callbacks=[losses],
    )  # fmt: skip
    trainer.train()
    return losses.found


def preferences(folder):
    """Train with DPOTrainer, in the forms with and without a reference."""
    from paddle.distributed import fleet
    from paddleformers.cli.train.dpo.dpo_argument import DPOConfig
    from paddleformers.datasets.dpo import collate_fn
    from paddleformers.trl import DPOTrainer

    fleet.init(is_collective=True)
    if "jaxeager" not in sys.modules:  # Paddle refuses to wrap the reference in one process
        fleet.distributed_model = lambda model: model
    losses = Losses()
    for form in ({"loss_type": "sigmoid"}, {"loss_type": "simpo", "reference_free": True}):
        form = DPOConfig(**form)
        collate = functools.partial(
            collate_fn, tokenizer=None, max_seq_len=24,
            use_sparse_head_and_loss_fn=False, use_fused_head_and_loss_fn=False,
        )  # fmt: skip
        trainer = DPOTrainer(
            model=llama(dpo_config=form), dpo_config=form, args=arguments(folder),
            ref_model=None if form.reference_free else llama(dpo_config=form),
            train_dataset=Pairs(), data_collator=collate, callbacks=[losses],
        )  # fmt: skip
        trainer.train()
    return losses.found


def automatic(folder):
    """Train with AutoTrainer."""
    from paddle import distributed as dist
    from paddleformers.trainer.auto_trainer import AutoTrainer
    from paddleformers.trainer.auto_training_args import AutoTrainingArguments

    if "jaxeager" not in sys.modules:  # Paddle's own needs NumPy 1
        dist.ProcessMesh.get_rank_by_dim_and_process_id = lambda *given: 0
    losses = Losses()
    given = arguments(folder, AutoTrainingArguments, enable_auto_parallel=True)
    trainer = AutoTrainer(
        model=llama(), args=given, train_dataset=Rows(), callbacks=[losses], criterion=None
    )
    trainer.train()
    return losses.found


def _in_parts(folder, seed, **how):
    losses, form = Losses(), "flex_checkpoint"
    given = arguments(
        folder, save_strategy="steps", save_steps=STEPS // 2,
        save_checkpoint_format=form, load_checkpoint_format=form,
    )  # fmt: skip
    trainer = Trainer(model=llama(seed), args=given, train_dataset=Rows(), callbacks=[losses])
    trainer.train(**how)
    return losses.found


def saved(folder):
    """Train, and write a checkpoint half way."""
    return _in_parts(folder, seed=3)


def resumed(folder):
    """Train on from the checkpoint half way."""
    return _in_parts(folder, seed=4, resume_from_checkpoint=f"{folder}/checkpoint-{STEPS // 2}")


if __name__ == "__main__":
    _, chosen, place, result = sys.argv
    with open(result, "w", encoding="utf-8") as file:
        json.dump(globals()[chosen](place), file)
