"""The MovieLens dataset: ratings of films by users."""

from __future__ import annotations

import re

import numpy as np

from jaxeager.io import Dataset
from jaxeager.io.archives import zip_of
from jaxeager.text.datasets.files import given, mode_of, numbered

AGES = [1, 18, 25, 35, 45, 50, 56]
TITLE = re.compile(r"^(.*)\((\d+)\)$")


class MovieInfo:
    """A film: ``index``, ``categories`` and ``title`` without its year."""

    def __init__(self, index, categories, title):
        self.index, self.categories, self.title = int(index), categories, title

    def value(self, categories_dict, movie_title_dict) -> list[list[int]]:
        """Return lists of indices: of the film, its categories, and the words of its title."""
        return [
            [self.index],
            [categories_dict[category] for category in self.categories],
            [movie_title_dict[word.lower()] for word in self.title.split()],
        ]

    def __repr__(self) -> str:
        return f"<MovieInfo id({self.index}), title({self.title}), categories({self.categories})>"


class UserInfo:
    """A user: ``index``, ``is_male``, ``age`` (its index among the ages), ``job_id``."""

    def __init__(self, index, gender, age, job_id):
        self.index, self.is_male = int(index), gender == "M"
        self.age, self.job_id = AGES.index(int(age)), int(job_id)

    def value(self) -> list[list[int]]:
        """Return lists of one number each: the user's index, gender, age and job."""
        return [[self.index], [0 if self.is_male else 1], [self.age], [self.job_id]]

    def __repr__(self) -> str:
        gender = "M" if self.is_male else "F"
        return (
            f"<UserInfo id({self.index}), gender({gender}), age({AGES[self.age]}), "
            f"job({self.job_id})>"
        )


class Movielens(Dataset):
    """The MovieLens dataset: ratings in [-3, 5], each with the indices of its user and film.

    Paddle: numbers words and categories in a different order in each process. Here they are in
    alphabetical order.

    Args:
        data_file: path of ``ml-1m.zip``.
        mode: "train" or "test".
        test_ratio: fraction of the ratings used for tests.
        rand_seed: seed of their selection.
        download: accepted for compatibility: nothing is downloaded.

    Attributes:
        movie_info: film of each index.
        user_info: user of each index.
        movie_title_dict: index of each word of a title.
        categories_dict: index of each category.

    Raises:
        InvalidArgumentError: without ``data_file``, or for any other mode.

    Example:
        >>> import jaxeager as paddle
        >>> ratings = paddle.text.Movielens("ml-1m.zip")  # doctest: +SKIP
        >>> *user_and_film, rating = ratings[0]  # doctest: +SKIP
    """

    def __init__(
        self,
        data_file: str | None = None,
        mode: str = "train",
        test_ratio: float = 0.1,
        rand_seed: int = 0,
        download: bool = True,
    ):
        self.mode = mode_of(mode, "train", "test")
        data_file = given("Movielens", data_file)
        self.data_file, self.test_ratio, self.rand_seed = data_file, test_ratio, rand_seed
        with zip_of(data_file) as archive:
            self.movie_info = dict(_movies(archive))
            self.user_info = {int(row[0]): UserInfo(*row[:4]) for row in _rows(archive, "users", 5)}
            films = self.movie_info.values()
            words = {word.lower() for film in films for word in film.title.split()}
            self.movie_title_dict = numbered(sorted(words))
            categories = {category for film in films for category in film.categories}
            self.categories_dict = numbered(sorted(categories))
            self.data = list(self._ratings(archive))

    def _ratings(self, archive):
        draw = np.random.RandomState(self.rand_seed).random_sample
        for user, film, rating, _ in _rows(archive, "ratings", 4):
            if (draw() < self.test_ratio) == (self.mode == "test"):
                numbers = self.movie_info[int(film)].value(
                    self.categories_dict, self.movie_title_dict
                )
                yield [*self.user_info[int(user)].value(), *numbers, [float(rating) * 2 - 5.0]]

    def __getitem__(self, idx):
        return tuple(np.array(each) for each in self.data[idx])

    def __len__(self):
        return len(self.data)


def _rows(archive, name: str, columns: int):
    """Yield the columns of each line of one file of the archive."""
    with archive.open(f"ml-1m/{name}.dat") as file:
        for line in file:
            row = line.decode("latin").strip().split("::")
            if len(row) == columns:
                yield row


def _movies(archive):
    for index, title, categories in _rows(archive, "movies", 3):
        match = TITLE.match(title)
        name = match.group(1) if match else title
        yield int(index), MovieInfo(index, categories.split("|"), name)
