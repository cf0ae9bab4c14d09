"""The audit names each planted fault, in attention by three hands, and finds nothing in what is right."""

import pytest
import torch
from attnbook.audit import audit
from hands import CAP, SINKS, WEIGHTS, Fused, Views, einsum, pieces

EINSUM = {
    "no scale": "no scale",
    "d_model": "√d_model for √d_k",
    "d_k": "d_k for √d_k",
    "queries": "softmax over the wrong axis: queries",
    "heads": "softmax over the wrong axis: heads",
    "twice": "softmax twice",
    "after": "mask after softmax",
    "dropped": "mask dropped",
    "times": "scores multiplied by the mask",
    "ones": "mask added as 0 and 1",
    "inverted": "mask inverted",
    "transposed": "mask transposed",
    "ten thousand": "−10⁴ for −∞",
    "roles": "queries and keys exchanged",
    "keys for values": "keys for values",
    "batch": "attention across the batch",
}
CAPPED = {"cap last": "softcap after the mask", "sink": "sink left out"}
TURNED = {
    "pairing": "rotation with the wrong pairing",
    "other way": "keys turned the other way",
    "ahead": "position offset: queries one ahead",
    "values": "values turned as well",
}
VIEWS = {
    "cut": "heads split without a transpose",
    "glued": "heads joined without a transpose",
    "cut and glued": "heads split and joined without a transpose",
    "interleaved": "heads interleaved",
    "tiled": "keys repeated in the wrong order of heads",
    "width": "√d_model for √d_k",
    "axis": "softmax over the wrong axis: heads",
    "over heads": "positions over heads",
    "exponents": "rotation with the next exponents",
    "queries alone": "rotation of queries alone",
    "biases": "biases of the projections left out",
    "transposed": "output projection transposed",
    "one more": "mask off by one: one key too many",
    "dropped in training": "mask dropped on one path: train",
    "ten thousand": "−10⁴ for −∞",
}
FUSED = {
    "by heads": "fused projection read head by head",
    "off by one": "mask off by one: one key too many",
    "batch": "attention across the batch",
    "training": "mask dropped on one path: train",
    "restart": "cached pieces disagree: positions restart in every piece",
    "grown": "cached pieces disagree: positions counted after the cache has grown",
    "again": "cached pieces disagree: keys turned again in every piece",
    "corner": "cached pieces disagree: causal diagonal in the wrong corner",
    "forgotten": "cached pieces disagree: earlier keys forgotten",
    "unmasked": "cached pieces disagree: no causal mask within a piece",
}


@pytest.fixture(autouse=True)
def one_thread():
    threads = torch.get_num_threads()
    torch.set_num_threads(1)  # the arrays are tiny
    torch.manual_seed(0)
    yield
    torch.set_num_threads(threads)


def views(fault="", **claims):
    layer = Views(fault)
    return audit(layer, **{"rotary": "halves", "dtype": "float32"} | claims)


def fused(fault="", p=0.0, **claims):
    return audit(
        Fused(fault, p), **{"causal": True, "rotary": "adjacent", "pieces": pieces, "dtype": "float32"} | claims
    )


@pytest.mark.parametrize("fault", EINSUM)
def test_faults_of_the_first_hand_are_named(fault):
    assert audit(einsum(fault), heads=WEIGHTS).diagnoses[0] == EINSUM[fault]


@pytest.mark.parametrize("fault", CAPPED)
def test_faults_of_softcap_and_sink_are_named(fault):
    report = audit(einsum(fault, cap=CAP, sinks=SINKS), heads=WEIGHTS, cap=CAP, sinks=SINKS)
    assert report.diagnoses[0] == CAPPED[fault]


@pytest.mark.parametrize("pairing", ["halves", "adjacent"])
@pytest.mark.parametrize("fault", TURNED)
def test_faults_of_rotation_are_named(fault, pairing):
    assert audit(einsum(fault, pairing=pairing), heads=WEIGHTS, rotary=pairing).diagnoses[0] == TURNED[fault]


@pytest.mark.parametrize("fault", VIEWS)
def test_faults_of_the_second_hand_are_named(fault):
    assert views(fault).diagnoses[0] == VIEWS[fault]


@pytest.mark.parametrize("fault", FUSED)
def test_faults_of_the_third_hand_are_named(fault):
    assert fused(fault).diagnoses[0] == FUSED[fault]


def test_what_is_right_passes():
    audit(einsum(), heads=WEIGHTS).assert_lawful()
    audit(einsum(cap=CAP, sinks=SINKS), heads=WEIGHTS, cap=CAP, sinks=SINKS).assert_lawful()
    for pairing in ("halves", "adjacent"):
        audit(einsum(pairing=pairing), heads=WEIGHTS, rotary=pairing).assert_lawful()
    views(dtype=None, mask=("look", "add"), blind="finite").assert_lawful()
    fused(dtype=None, p=0.3).assert_lawful()
