"""audio.datasets, on small folders in the form of the real ones."""

import numpy as np
import pytest

import jaxeager as paddle
from jaxeager.audio.datasets import ESC50, TESS
from jaxeager.dataset import common


@pytest.fixture
def home(tmp_path, monkeypatch):
    monkeypatch.setattr(common, "DATA_HOME", str(tmp_path))
    return tmp_path


def recorded(path, number):
    """Write a second of a tone, and return it."""
    wave = np.sin(np.arange(4000) * 0.01 * (number + 1)).astype("float32")[None]
    path.parent.mkdir(parents=True, exist_ok=True)
    paddle.audio.save(str(path), paddle.to_tensor(wave), 4000)
    return wave[0]


def test_sounds_around_us(home):
    with pytest.raises(RuntimeError, match=r"audio does not exist.*Unpack .*ESC-50-master\.zip"):
        ESC50()
    lines = ["filename,fold,target,category,esc10,src_file,take"]
    waves = []
    for number in range(4):
        waves.append(recorded(home / "ESC-50-master" / "audio" / f"{number}.wav", number))
        lines.append(f"{number}.wav,{number % 2 + 1},{10 * number},Dog,True,1,A")
    (home / "ESC-50-master" / "meta").mkdir()
    (home / "ESC-50-master" / "meta" / "esc50.csv").write_text("\n".join(lines))
    train, dev = ESC50(), ESC50("dev", split=1)
    assert (train.labels, dev.labels, len(train)) == ([10, 30], [0, 20], 2)
    wave, label = dev[1]
    assert label == 20
    np.testing.assert_allclose(wave, waves[2], atol=1e-4)
    assert dev.sample_rate == 4000
    feature, _ = ESC50("dev", feat_type="mfcc", n_mfcc=8, n_mels=16)[0]
    assert feature.shape[0] == 8
    feature, _ = ESC50("dev", feat_type="spectrogram", n_fft=64)[0]
    assert feature.shape[0] == 33
    assert len(ESC50.label_list) == 50
    with pytest.raises(AssertionError, match="1 <= split <= 5, but got 6"):
        ESC50(split=6)
    with pytest.raises(RuntimeError, match="Unknown feat_type: wavelet"):
        ESC50(feat_type="wavelet")


def test_words_in_moods(home):
    with pytest.raises(RuntimeError, match="TESS_Toronto_emotional_speech_set does not exist"):
        TESS()
    folder = home / "TESS_Toronto_emotional_speech_set"
    for number, mood in enumerate(("angry", "fear", "ps", "sad")):
        recorded(folder / f"OAF_{mood}" / f"OAF_back_{mood}.wav", number)
    train, dev = TESS(n_folds=2, split=1), TESS("dev", n_folds=2, split=1)
    assert (train.labels, dev.labels) == ([2, 6], [0, 5])
    assert dev[0][0].shape == [4000]
    with pytest.raises(AssertionError, match="n_folds >= 1, but got 0"):
        TESS(n_folds=0)
    with pytest.raises(AssertionError, match="1 <= split <= 2, but got 3"):
        TESS(n_folds=2, split=3)
