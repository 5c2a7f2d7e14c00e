"""Fourier transforms, frames and segments."""

from tests.fuzz.draw import from_templates

program = from_templates(
    """
    paddle.fft.{fft|ifft}({x 2,3/3/2,4 float|x 4 complex}, {None|2|5|3}, {-1|0}, {'backward'|'forward'|'ortho'})
    paddle.fft.{fft|ifft|rfft|ihfft}({x 2,4/3/5}, {None|2|5}, {-1|0}, {'backward'|'forward'|'ortho'})
    paddle.fft.{irfft|hfft}({x 2,4/3 complex}, {None|2|5|6}, {-1|0}, {'backward'|'forward'|'ortho'})
    paddle.fft.{fft2|ifft2|rfft2|ihfft2}({x 2,4/2,3,4}, {None|[2, 3]}, {(-2, -1)|[0, 1]}, {'backward'|'ortho'})
    paddle.fft.{irfft2|hfft2}({x 2,4/3,3 complex}, {None|[2, 3]|[3, 4]})
    paddle.fft.{fftn|ifftn|rfftn|ihfftn}({x 2,3,4/3/2,4}, {None|[2, 2]}, {None|[0, 1]|[-1]}, {'backward'|'forward'})
    paddle.fft.{irfftn|hfftn}({x 2,3 complex}, {None|[2, 4]})
    paddle.fft.{fftshift|ifftshift}({x 2,3/4/2,3,4}, {None|0|[0, 1]|-1})
    paddle.fft.{fftfreq|rfftfreq}({4|5|1|0}, {1.0|0.5})
    paddle.signal.frame({x 8/2,8}, {3|4|8}, {1|2}, {-1|0})
    paddle.signal.overlap_add({x 4,3/2,4,3}, {1|2|4}, -1)
    paddle.signal.stft({x 2,16/16}, {8|4}, {None|2|4}, {None|4}, None, {bool}, {'reflect'|'constant'}, {bool}, {bool})
    paddle.geometric.segment_{sum|mean|min|max}({x 4,2}, paddle.to_tensor({[0, 0, 1, 2]|[0, 1, 1, 1]|[0, 2, 2, 3]}))
    paddle.geometric.send_u_recv({x 3,2}, {c 4 int below 3}, {c 4 int below 3}, {'sum'|'mean'|'min'|'max'}, {None|4|2})
    paddle.geometric.send_ue_recv({x 3,2}, {x 4,2}, {c 4 int below 3}, {c 4 int below 3}, {'add'|'sub'|'mul'|'div'}, {'sum'|'mean'|'min'|'max'})
    paddle.geometric.send_uv({x 3,2}, {x 3,2}, {c 4 int below 3}, {c 4 int below 3}, {'add'|'sub'|'mul'|'div'})
    """
)
