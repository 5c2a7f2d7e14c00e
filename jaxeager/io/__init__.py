"""Datasets, samplers and the DataLoader, with Paddle's names."""

from jaxeager.io.batch_sampler import BatchSampler, DistributedBatchSampler
from jaxeager.io.bucket_sampler import BucketBatchSampler
from jaxeager.io.dataloader import DataLoader
from jaxeager.io.dataloader_iter import (
    _DataLoaderIterBase,
    _DataLoaderIterMultiProcess,
    _DataLoaderIterSingleProcess,
)
from jaxeager.io.dataset import (
    ChainDataset,
    ComposeDataset,
    ConcatDataset,
    Dataset,
    IterableDataset,
    Subset,
    TensorDataset,
)
from jaxeager.io.pad_collate import PadCollate
from jaxeager.io.random_split import random_split
from jaxeager.io.sampler import (
    RandomSampler,
    Sampler,
    SequenceSampler,
    SubsetRandomSampler,
    WeightedRandomSampler,
)
from jaxeager.io.worker_info import get_worker_info

__all__ = [
    "BatchSampler",
    "BucketBatchSampler",
    "ChainDataset",
    "ComposeDataset",
    "ConcatDataset",
    "DataLoader",
    "Dataset",
    "DistributedBatchSampler",
    "IterableDataset",
    "PadCollate",
    "RandomSampler",
    "Sampler",
    "SequenceSampler",
    "Subset",
    "SubsetRandomSampler",
    "TensorDataset",
    "WeightedRandomSampler",
    "get_worker_info",
    "random_split",
]
