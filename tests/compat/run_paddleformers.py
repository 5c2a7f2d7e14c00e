"""Trainings of PaddleFormers on either library: ``python run_paddleformers.py KIND FOLDER OUT``.

OUT gets the losses of the steps, as JSON. The weights and data are the same on both libraries.
"""

import functools
import json
import sys
from pathlib import Path

import numpy as np
import paddle
from paddleformers.trainer import Trainer, TrainerCallback, TrainingArguments
from paddleformers.transformers import (
    LlamaConfig,
    LlamaForCausalLM,
    Qwen2Config,
    Qwen2ForCausalLM,
)
from safetensors.numpy import save_file

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


def hub(folder):
    """Return numbers of models that files of a hub fill: names, cuts and layouts are a hub's."""
    return [number for fused in (False, True) for number in _from_hub(f"{folder}/{fused}", fused)]


def _from_hub(folder, fused):
    """Return the loss of a Qwen2 that files fill, and numbers of its weights as a hub has them."""
    config = Qwen2Config(
        vocab_size=VOCABULARY, hidden_size=32, intermediate_size=64, num_hidden_layers=2,
        num_attention_heads=4, num_key_value_heads=2, max_position_embeddings=64,
        attention_dropout=0.0, tie_word_embeddings=False,
        fuse_attention_qkv=fused, fuse_attention_ffn=fused,
    )  # fmt: skip
    config._attn_implementation = "eager"
    Path(folder).mkdir(parents=True)
    config.save_pretrained(folder)
    random = np.random.default_rng(6)

    def drawn(*shape):
        return (random.standard_normal(shape) * 0.08).astype("float32")

    files = {"model.embed_tokens.weight": drawn(VOCABULARY, 32), "model.norm.weight": drawn(32) + 1}
    files["lm_head.weight"] = drawn(VOCABULARY, 32)
    for layer in ("model.layers.0", "model.layers.1"):
        for name, count in (("q", 32), ("k", 16), ("v", 16)):
            files[f"{layer}.self_attn.{name}_proj.weight"] = drawn(count, 32)
            files[f"{layer}.self_attn.{name}_proj.bias"] = drawn(count)
        files[f"{layer}.self_attn.o_proj.weight"] = drawn(32, 32)
        for name, shape in (("gate", (64, 32)), ("up", (64, 32)), ("down", (32, 64))):
            files[f"{layer}.mlp.{name}_proj.weight"] = drawn(*shape)
        for name in ("input_layernorm", "post_attention_layernorm"):
            files[f"{layer}.{name}.weight"] = drawn(32) + 1
    save_file(files, f"{folder}/model.safetensors", metadata={"format": "pt"})
    model = Qwen2ForCausalLM.from_pretrained(folder, load_checkpoint_format="flex_checkpoint")
    model.eval()
    words = Rows()[0]
    rows = [paddle.to_tensor(words[name])[None] for name in ("input_ids", "labels")]
    loss = model(input_ids=rows[0], labels=rows[1])[0]
    again = dict(model.full(Qwen2ForCausalLM._gen_inv_aoa_config(config)))
    assert sorted(again) == sorted(files)
    for name, weight in again.items():
        np.testing.assert_array_equal(weight.numpy(), files[name], err_msg=name)
    return [float(loss)]


if __name__ == "__main__":
    _, chosen, place, result = sys.argv
    with open(result, "w", encoding="utf-8") as file:
        json.dump(globals()[chosen](place), file)
