"""Datasets of paddle.text, from small files that the programs write."""

import contextlib
import gzip
import io
import pathlib
import tarfile
import tempfile
import zipfile

from ..probe import refuses
from ..registry import differs, program


@contextlib.contextmanager
def _archive(**texts):
    """Yields the path of a tar archive of the given texts; __ in a name is a slash."""
    with tempfile.TemporaryDirectory() as folder:
        path = str(pathlib.Path(folder, "archive.tgz"))
        with tarfile.open(path, "w:gz") as archive:
            for name, text in texts.items():
                content = text if isinstance(text, bytes) else text.encode()
                member = tarfile.TarInfo(name.replace("__", "/").replace("_DOT_", "."))
                member.size = len(content)
                archive.addfile(member, io.BytesIO(content))
        yield path


def _items(dataset):
    """Returns every item of a dataset, and its length."""
    return [len(dataset), *([each.tolist() for each in dataset[i]] for i in range(len(dataset)))]


@program
def text_housing(paddle, np):
    """UCIHousing: normed features, parts, the default dtype."""
    table = np.random.default_rng(3).normal(size=(10, 14)).round(3)
    out = {}
    with tempfile.TemporaryDirectory() as folder:
        path = str(pathlib.Path(folder, "housing.data"))
        np.savetxt(path, table, "%.3f")
        for mode in ("train", "TEST"):
            dataset = paddle.text.UCIHousing(path, mode)
            features, price = dataset[1]
            out[mode] = [len(dataset), features, price, dataset.mode]
        paddle.set_default_dtype("float64")
        out["float64"] = paddle.text.UCIHousing(path)[0]
    return out


@program
def text_imdb(paddle, np):
    """Imdb: the dictionary, parts, labels."""
    reviews = {
        "aclImdb__train__pos__0_DOT_txt": "A good film, a GOOD one!\n",
        "aclImdb__train__neg__1_DOT_txt": "bad; bad. A film",
        "aclImdb__test__neg__2_DOT_txt": "not good, a bad one",
        "aclImdb__train__unsup__3_DOT_txt": "film film film",
        "aclImdb__test__pos__4_DOT_txt": "a film a film",
    }
    with _archive(**reviews) as path:
        train = paddle.text.Imdb(path, cutoff=1)
        test = paddle.text.Imdb(data_file=path, mode="test", cutoff=2)
    return [str(train.word_idx), _items(train), str(test.word_idx), _items(test)]


@program
def text_imikolov(paddle, np):
    """Imikolov: runs of words and whole sentences."""
    folder = "./simple-examples__data__"
    texts = {
        f"{folder}ptb_DOT_train_DOT_txt": " the cat sat \n the dog sat \n the <unk> ran away \n",
        f"{folder}ptb_DOT_valid_DOT_txt": " the dog saw the cat \n the dog ran \n",
        f"{folder}ptb_DOT_test_DOT_txt": " a cat ran \n",
    }
    out = {}
    with _archive(**texts) as path:
        for name, given in {
            "runs": {"window_size": 3}, "test": {"window_size": 2, "mode": "test"},
            "sentences": {"data_type": "seq"}, "short": {"data_type": "SEQ", "window_size": 4},
        }.items():  # fmt: skip
            dataset = paddle.text.Imikolov(path, min_word_freq=1, **given)
            out[name] = [str(dataset.word_idx), _items(dataset)]
        out["window"] = refuses(lambda: paddle.text.Imikolov(path, min_word_freq=1))["error"]
        out["window"] = out["window"].replace("AssertionError", "ValueError")
    return out


@differs(
    "Paddle sorts words that are bytes among marks that are not",
    right=["<e>", "<s>", "b'cat'", "<unk>"],
    paddle_gives="TypeError",
)
def text_imikolov_of_ties(paddle, np):
    """A word that is as frequent as the ends of sentences."""
    folder = "./simple-examples__data__"
    texts = {f"{folder}ptb_DOT_{part}_DOT_txt": "cat\n" for part in ("train", "valid")}
    with _archive(**texts) as path:
        found = refuses(lambda: paddle.text.Imikolov(path, "SEQ", min_word_freq=1))
        if found != "no error":
            return found["error"]
        dataset = paddle.text.Imikolov(path, "SEQ", min_word_freq=1)
    return list(map(str, dataset.word_idx))


@program
def text_movielens(paddle, np):
    """Movielens: users, films, which ratings are for tests."""
    with tempfile.TemporaryDirectory() as folder:
        path = str(pathlib.Path(folder, "ml-1m.zip"))
        with zipfile.ZipFile(path, "w") as archive:
            archive.writestr(
                "ml-1m/movies.dat", "1::Toy Story (1995)::Animation|Comedy\n7::Cafe (1990)::Drama\n"
            )
            archive.writestr("ml-1m/users.dat", "1::F::1::10::48067\n2::M::56::16::70072\n")
            rows = [f"{1 + i % 2}::{(1, 7)[i % 3 == 0]}::{1 + i % 5}::97830\n" for i in range(20)]
            archive.writestr("ml-1m/ratings.dat", "".join(rows))
        out = {}
        for mode in ("train", "test"):
            dataset = paddle.text.Movielens(path, mode, test_ratio=0.3, rand_seed=4)
            numbers = [[len(each) for each in dataset[i]] for i in range(len(dataset))]
            sure = [
                [dataset[i][k].tolist() for k in (0, 1, 2, 3, 4, 7)] for i in range(len(dataset))
            ]
            out[mode] = [numbers, sure]
        out["words"] = sorted(dataset.movie_title_dict)
        out["categories"] = sorted(dataset.categories_dict)
        out["texts"] = [str(dataset.movie_info[1]), str(dataset.user_info[2])]
    return out


@program
def text_conll05(paddle, np):
    """Conll05st: words around the verb, the roles."""
    words = ["The", "cat", "sat", "and", "ate", "it", "", "Dogs", "bark", ""]
    props = [
        "- (A0* (A0*", "- *) *)", "sit (V*) *", "- * *", "eat * (V*)", "- * (A1*)", "",
        "- (A0*)", "bark (V*)", "",
    ]  # fmt: skip
    folder = "conll05st-release__test.wsj__"
    texts = {
        f"{folder}words__test.wsj.words.gz": gzip.compress("\n".join([*words, ""]).encode()),
        f"{folder}props__test.wsj.props.gz": gzip.compress("\n".join([*props, ""]).encode()),
    }
    with _archive(**texts) as path:
        folder = pathlib.Path(path).parent
        names = []
        for name, lines in {
            "words": ["unk", "The", "cat", "sat", "ate", "bos", "eos", "Dogs"],
            "verbs": ["sit", "eat"], "roles": ["B-A0", "I-A0", "B-V", "I-V", "B-A1", "O"],
        }.items():  # fmt: skip
            (folder / name).write_text("\n".join(lines) + "\n")
            names.append(str(folder / name))
        dataset = paddle.text.Conll05st(path, *names, emb_file="embeddings")
        items = [[each.tolist() for each in dataset[i][:8]] for i in range(2)]
        both, verbs, roles = dataset.get_dict()
        labels = dataset.labels
    return [items, both, verbs, sorted(roles), labels, dataset.get_embedding(), len(dataset)]


WMT14 = {
    "wmt14__train__train": "a cat\tun chat\nno pair\na dog\tun chien noir\n",
    "wmt14__test__test": "the cat\tle chat\n" + "a " * 90 + "\tle chat\n",
    "wmt14__src.dict": "<s>\n<e>\n<unk>\na\ncat\ndog\n",
    "wmt14__trg.dict": "<s>\n<e>\n<unk>\nun\nchat\nchien\n",
}


@program
def text_wmt14(paddle, np):
    """WMT14: both dictionaries, pairs of sentences, those that are left out."""
    out = {}
    with _archive(**WMT14) as path:
        for mode, size in (("train", 5), ("test", 99)):
            dataset = paddle.text.WMT14(path, mode, size)
            out[mode] = [_items(dataset), dataset.get_dict(), len(dataset)]
        back = dataset.get_dict(reverse=True)
        out["back"] = [{str(place): word for place, word in each.items()} for each in back]
        out["size"] = refuses(lambda: paddle.text.WMT14(path))["error"]
    out["size"] = out["size"].replace("AssertionError", "ValueError")
    return out


@differs(
    "Paddle builds the dictionaries in a folder of its own, which only a download makes",
    right=[
        3,
        ["<s>", "<e>", "<unk>", "a"],
        ["<s>", "<e>", "<unk>", "un", "chat"],
        [[0, 3, 2, 1], [0, 3, 4], [3, 4, 1]],
    ],
    paddle_gives="FileNotFoundError",
)
def text_wmt16(paddle, np):
    """WMT16: dictionaries of both languages, pairs of sentences."""
    lines = "a cat\tun chat\na dog\tun chien\na chat\tle chat\n"
    with _archive(wmt16__train=lines, wmt16__val=lines) as path:
        found = refuses(lambda: paddle.text.WMT16(path, "val", 4, 5, "en"))
        if found != "no error":
            return found["error"]
        dataset = paddle.text.WMT16(path, "val", 4, 5, "en")
    return [len(dataset), *map(list, (dataset.src_dict, dataset.trg_dict)), [
        each.tolist() for each in dataset[0]]]  # fmt: skip


@program
def text_modes(paddle, np):
    """Modes and types that there are not, and files that are not given."""
    t = paddle.text
    calls = {
        "UCIHousing": lambda: t.UCIHousing("x", "val"), "Imdb": lambda: t.Imdb("x", "val"),
        "Imikolov": lambda: t.Imikolov("x", "PAIRS"), "Movielens": lambda: t.Movielens("x", "val"),
        "WMT14": lambda: t.WMT14("x", "val"), "WMT16": lambda: t.WMT16("x", "gen"),
        "no file": lambda: t.Imdb(download=False), "no files": lambda: t.Conll05st(download=False),
    }  # fmt: skip
    return {
        name: {"error": refuses(call)["error"].replace("AssertionError", "ValueError")}
        for name, call in calls.items()
    }
