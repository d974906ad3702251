"""What is alive at once, by hand-made schedules and programs of XLA; and what an estimate says."""

import json

import pytest

from devicekit.measure.batch_size.find import batch_between
from devicekit.measure.memory.estimate import LayerMemory, MemoryEstimate
from devicekit.runtime.frameworks.live_memory import (
    Operation,
    events_of,
    peak_of,
    scratch_of,
    xla_operations,
    xla_parts,
)

PROGRAM = """HloModule step, is_scheduled=true

%body (arg: (s32[], f32[100])) -> (s32[], f32[100]) {
  %arg = (s32[], f32[100]{0}) parameter(0)
  %i = s32[] get-tuple-element(%arg), index=0
  %v = f32[100]{0} get-tuple-element(%arg), index=1
  %wide = f32[100,5]{1,0} broadcast(%v), dimensions={0}
  %sum = f32[100]{0} reduce(%wide, %i), dimensions={1}
  ROOT %out = (s32[], f32[100]{0}) tuple(%i, %sum)
}

%condition (arg.1: (s32[], f32[100])) -> pred[] {
  %arg.1 = (s32[], f32[100]{0}) parameter(0)
  ROOT %always = pred[] constant(true)
}

ENTRY %main (weights: f32[100], x: f32[100]) -> (f32[100], f32[]) {
  %weights = f32[100]{0} parameter(0)
  %x = f32[100]{0} parameter(1)
  %zero = s32[] constant(0)
  %forward = f32[100]{0} multiply(%x, %weights), metadata={op_name="jit(run)/jvp(dense)/mul"}
  %start = (s32[], f32[100]{0}) tuple(%zero, %forward)
  %loop = (s32[], f32[100]{0}) while(%start), condition=%condition, body=%body
  %result = f32[100]{0} get-tuple-element(%loop), index=1
  %back = f32[100,2]{1,0} dot(%result, %x), metadata={op_name="jit(run)/transpose(jvp(dense))/dot"}
  %gradient = f32[100]{0} reduce(%back, %result), metadata={op_name="jit(run)/transpose(jvp(dense))/conv"}
  %loss = f32[] constant(0)
  %updated = f32[100]{0} subtract(%weights, %gradient)
  ROOT %state = (f32[100]{0}, f32[]) tuple(%updated, %loss)
}
"""


def estimate(**changes):
    values = {
        "model": "mlp", "framework": "jax", "optimizer": "adam", "precision": "float32", "batch_size": 64,
        "parameters_bytes": 1 << 20, "gradients_bytes": 0, "optimizer_bytes": 2 << 20, "inputs_bytes": 1 << 20,
        "activations_bytes": 50 << 20, "workspace_bytes": 10 << 20,
        "layers": (LayerMemory("dense", "Dense", 1 << 20, 1 << 20, 2 << 20, 50 << 20),),
    }  # fmt: skip
    return MemoryEstimate(**dict(values, **changes))


@pytest.mark.parametrize(
    ("operations", "peak"),
    [
        ([Operation("a", (), 4), Operation("b", ("a",), 8), Operation("c", ("b",), 16)], {"b": 8, "c": 16}),
        # A result in the place of its operand; one that still holds it; one that needs more while it runs.
        ([Operation("a", (), 8), Operation("b", ("a",), 8, reuses=True)], {"a": 8}),
        ([Operation("a", (), 8), Operation("v", ("a",), alias=True), Operation("c", (), 2), Operation("d", ("v",), 1)],
         {"a": 8, "c": 2}),
        ([Operation("a", (), 8), Operation("b", ("a",), 1, workspace=9)], {"a": 8, "b": 1, "b/workspace": 9}),
        ([Operation("a", (), 8), Operation("unread", (), 9), Operation("b", ("a",), 5)], {"a": 8, "unread": 9}),
        ([], {}),
    ],
)  # fmt: skip
def test_the_peak_of_a_schedule(operations, peak):
    assert peak_of(events_of(operations)) == peak


def test_everything_that_is_allocated_is_freed():
    operations = xla_operations(PROGRAM)
    assert sum(size for _, size in events_of(operations)) == 0
    assert {item.name: item.bytes for item in operations if item.bytes} == {
        "forward": 400,
        "back": 800,
        "gradient": 400,
    }


def test_a_program_of_xla_by_its_parts():
    # In the loop's body 2,000 bytes and the sum's 400; then `back` while the loop's result is alive.
    assert xla_parts(xla_operations(PROGRAM)) == {"activations": 400, "gradients": 0, "workspace": 2400}
    without_loop = [item._replace(workspace=0) for item in xla_operations(PROGRAM)]
    assert xla_parts(without_loop) == {"activations": 400, "gradients": 400, "workspace": 800}
    assert xla_operations("no program") == []


#: The backward pass of two depthwise convolutions, the second with strides; fusions hold one of them, and a transposition.
CONVOLUTIONS = """HloModule step, is_scheduled=true

%fused (p.0: f32[4,9,9,10], p.1: f32[4,4,10,4]) -> f32[4,3,3,4] {
  %p.0 = f32[4,9,9,10]{3,2,1,0} parameter(0)
  %p.1 = f32[4,4,10,4]{3,2,1,0} parameter(1)
  ROOT %inner = f32[4,3,3,4]{3,2,1,0} convolution(%p.0, %p.1), window={size=4x4 rhs_dilate=2x2}, dim_labels=b01f_01io->b01f
}

%turned (p.2: f32[4,3,3,4]) -> f32[3,3,4,4] {
  %p.2 = f32[4,3,3,4]{3,2,1,0} parameter(0)
  %other = f32[3,3,4,4]{3,1,0,2} transpose(%p.2), dimensions={1,2,0,3}
  ROOT %dense = f32[3,3,4,4]{3,2,1,0} copy(%other)
}

%doubled (p.3: f32[3,3,4,4]) -> f32[3,3,4,4] {
  %p.3 = f32[3,3,4,4]{3,2,1,0} parameter(0)
  ROOT %twice = f32[3,3,4,4]{3,2,1,0} add(%p.3, %p.3)
}

ENTRY %main (x: f32[4,9,9,10], g: f32[4,4,10,4], k: f32[3,3,1,4]) -> (f32[3,3,4,4], f32[10,9,9,4]) {
  %x = f32[4,9,9,10]{3,2,1,0} parameter(0)
  %g = f32[4,4,10,4]{3,2,1,0} parameter(1)
  %k = f32[3,3,1,4]{3,2,1,0} parameter(2)
  %image = f32[10,9,9,4]{3,2,1,0} convolution(%g, %k), window={size=3x3 pad=2_2x2_2 lhs_dilate=2x2}, feature_group_count=4
  %mixed = f32[4,3,3,4]{3,2,1,0} fusion(%x, %g), kind=kCustom, calls=%fused
  %moved = f32[3,3,4,4]{3,2,1,0} fusion(%mixed), kind=kLoop, calls=%turned
  %scaled = f32[3,3,4,4]{3,2,1,0} fusion(%moved), kind=kLoop, calls=%doubled
  %deep = f32[10,9,9,4]{3,2,1,0} convolution(%image, %k), window={size=3x3 pad=1_1x1_1}, feature_group_count=4
  ROOT %state = (f32[3,3,4,4], f32[10,9,9,4]) tuple(%scaled, %deep)
}
"""


def test_what_kernels_of_convolutions_take_for_themselves_comes_on_top():
    operations = {item.name: item for item in xla_operations(CONVOLUTIONS)}
    image = 10 * 9 * 9 * 4 * 4
    gradient = 4 * 4 * 10 * 4 * 4
    assert {name: item.scratch for name, item in operations.items() if item.scratch} == {
        "image": 9 * image,
        "mixed": image + gradient,
        "deep": image,
    }
    # Of a larger one not all patches are held at once.
    part = int(0.3 * 10000 * 9 * image)
    for groups, scratch in (("feature_group_count=4", part), ("feature_group_count=1000", 6 * 10**8), ("", part)):
        text = CONVOLUTIONS.replace("f32[10,9,9,4]", "f32[100000,9,9,4]").replace(
            "feature_group_count=4\n  %mixed", groups + "\n  %mixed"
        )
        assert [item.scratch for item in xla_operations(text) if item.name == "image"] == [scratch]
    assert not any(item.workspace for item in operations.values())
    # A fusion that moves values cannot write over what it reads.
    assert [name for name in ("mixed", "moved", "scaled") if operations[name].reuses] == ["scaled"]
    # `mixed` does not read `image`: both run at once, and the peak may be anywhere else.
    both = operations["image"].scratch + operations["mixed"].scratch
    assert scratch_of(list(operations.values())) == both
    without = [item._replace(scratch=0) for item in operations.values()]
    peak = sum(xla_parts(without).values())
    assert sum(xla_parts(list(operations.values())).values()) == peak + both
    in_turn = [operations["image"], operations["mixed"]._replace(operands=("image",))]
    assert scratch_of(in_turn) == operations["image"].scratch


def test_an_estimate_adds_up_and_shows_itself():
    result = estimate()
    assert result.total_bytes == 64 << 20
    assert result.findings == ()
    assert "64 MiB" in str(result)
    assert "dense (Dense)" in str(result)
    assert "Activations" in result._repr_html_()
    data = json.loads(json.dumps(result.to_dict()))
    assert data["total_bytes"] == 64 << 20
    assert MemoryEstimate.from_dict(data) == result


def test_what_does_not_fit_says_what_helps():
    assert estimate(device_bytes=64 << 20).findings == ()
    (finding,) = estimate(device_bytes=32 << 20).findings
    assert finding.code == "will-not-fit"
    assert finding.summary == "A batch of 64 needs about 64 MiB; there are 32 MiB."
    texts = [fix.text for fix in finding.fix]
    # 29 of 61 MiB are left for the batch, and a tenth of them to spare.
    assert texts[0].startswith("Use a batch of about 27;")
    assert "gradient_accumulation_steps=3" in texts[1]
    assert "saves up to 25 MiB" in texts[2]
    (nothing,) = estimate(device_bytes=2 << 20, precision="mixed_bfloat16").findings
    assert [fix.text for fix in nothing.fix] == ["Use a smaller model, or an optimizer that keeps less"]


def test_what_is_computed_again_need_not_be_kept():
    texts = [fix.text for fix in estimate(device_bytes=32 << 20, recomputed_bytes=20 << 20).findings[0].fix]
    assert "gradient checkpointing" in texts[2]
    assert "saves about 20 MiB" in texts[2]
    assert "keras.RematScope" in texts[2]
    for value in (None, 0, 1 << 20):  # not there, or not worth it
        (finding,) = estimate(device_bytes=32 << 20, recomputed_bytes=value).findings
        assert not any("RematScope" in fix.text for fix in finding.fix)


def test_a_small_model_has_sizes_too():
    small = estimate(device_bytes=100).replace(parameters_bytes=3 << 10, workspace_bytes=5)
    text = str(small)
    assert "3 KiB" in text
    assert "1 KiB" in text
    assert "there are 1 KiB" in text


def test_two_batches_tell_what_every_batch_needs():
    """Of large weights the gradients are workspace, and one estimate takes them for a part that grows."""

    def needs(batch_size):
        return estimate(batch_size=batch_size, workspace_bytes=300 << 20, activations_bytes=batch_size << 16)

    small = needs(32)
    assert small.batch_for(600 << 20) < 64
    assert (
        abs(batch_between(small, needs(128), 600 << 20) - (32 + 0.9 * ((600 << 20) - small.total_bytes) / (1 << 16)))
        <= 1
    )
    # What needs no more says nothing of larger ones; what does not fit is not tried.
    assert batch_between(small, small.replace(batch_size=128), 600 << 20) == 128
    assert batch_between(small, needs(128), 1 << 20) == 32
