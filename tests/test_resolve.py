"""What `resolve` answers: sets for every goal, why not, and what instead. Against the bundled data, on described machines."""

import json
import subprocess
import sys

import pytest
import recorded_machines
from packaging.requirements import Requirement
from packaging.specifiers import SpecifierSet

import devicekit
from devicekit.cli.main import main
from devicekit.machine.probe import read_machine
from devicekit.matrix import goes_with
from devicekit.matrix.matrix import TENSORFLOW_OWNERS, Matrix, accepts
from devicekit.matrix.target import PLATFORMS, PYTHONS, Target, target_for
from devicekit.report.resolution import install_command, resolution_text
from devicekit.resolver.engine import available
from devicekit.resolver.goals import FRAMEWORKS, GOALS
from devicekit.resolver.sets import best_set

LINUX = "linux-x86_64"


def for_target(goal, target, framework="tensorflow", keep=(), also=()):
    from devicekit.resolver.resolve import _parsed

    matrix = Matrix()
    found, obstacles = best_set(goal, (framework, *also), target, _parsed(keep, False, matrix), matrix)
    return found if found is not None else obstacles()


def nvidia(capability="8.6", driver="550.54.15", python="3.12", **more):
    return Target(
        python,
        "linux",
        "x86_64",
        "2.36",
        described=True,
        vendors=("nvidia",),
        capabilities=(capability,),
        driver=driver,
        **more,
    )


def versions(answer):
    return {pin.name: pin.version for pin in answer.pins}


def meets_all_requirements(answer):
    """Check a set against the data once more, without the engine: every declared requirement, every curated one."""
    matrix, found = Matrix(), versions(answer)
    environment = answer.target.environment()
    broken = []
    for pin in answer.pins:
        # What a makers' own index has differs from the registry's release in what it brings for the GPU.
        release = matrix.project(pin.name).release(pin.version.partition("+")[0])
        (build,) = [
            build for item, build in available(matrix, pin.name, answer.target) if item.version == release.version
        ]
        needs = [text for text in build.requires if "extra ==" not in text]
        needs = [text for text in needs if not (pin.index and text.startswith(("nvidia-", "cuda-", "triton")))]
        for extra in pin.extras:
            needs += [text for text in build.requires if 'extra == "%s"' % extra in text]
        needs += [
            text
            for hold in matrix.holds(pin.name, pin.version, answer.target.python)
            if not hold.goal
            for text in hold.needs
        ]
        for text in needs:
            requirement = Requirement(text)
            named = {"extra": pin.extras[0]} if pin.extras else {"extra": ""}
            if requirement.marker and not requirement.marker.evaluate(dict(environment, **named)):
                continue
            version = found.get(requirement.name)
            if matrix.project(requirement.name) is not None and (
                version is None or not requirement.specifier.contains(version, prereleases=True)
            ):
                broken.append("%s %s needs %s, the set has %s" % (pin.name, pin.version, text, version))
    return broken


@pytest.mark.parametrize("python", PYTHONS)
@pytest.mark.parametrize("framework", FRAMEWORKS)
def test_the_cpu_works_with_every_python(python, framework):
    answer = devicekit.resolve("cpu", framework=framework, python=python, platform=LINUX)
    if (framework, python) == ("jax", "3.7"):
        assert any("jaxlib has wheels for Python 3.8 to" in text for text in answer.obstacles)
        return
    assert answer.possible
    assert meets_all_requirements(answer) == []
    assert answer.goal == "cpu"


@pytest.mark.parametrize("platform", PLATFORMS)
@pytest.mark.parametrize("goal", GOALS)
def test_every_goal_on_every_platform_has_a_set_or_a_reason(goal, platform):
    answer = devicekit.resolve(goal, python="3.10", platform=platform)
    assert answer.possible != bool(answer.obstacles)
    if answer.possible:
        assert meets_all_requirements(answer) == []
        found = [
            (pin, Matrix().project(pin.name).release(pin.version))
            for pin in answer.pins
            if pin.name in TENSORFLOW_OWNERS
        ]
        real = [pin for pin, release in found if any(build.kind != "empty" for build in release.builds)]
        redirects = [
            pin.name for pin, _ in found if pin.name in ("tensorflow-intel", "tensorflow-macos", "tensorflow-cpu-aws")
        ]
        assert len(real) == 1 or redirects
    else:
        assert answer.command == ""
        assert answer.alternatives


def test_every_minor_release_with_a_wheel_can_be_kept():
    """The pairs that the installation table goes through."""
    matrix, seen = Matrix(), 0
    for python in PYTHONS:
        target = target_for(LINUX, python)
        minors = {".".join(release.version.split(".")[:2]) for release, _ in available(matrix, "tensorflow", target)}
        for minor in minors:
            answer = for_target("cpu", target, keep=["tensorflow==%s.*" % minor])
            assert versions(answer)["tensorflow"].startswith(minor + "."), (python, minor)
            assert meets_all_requirements(answer) == []
            seen += 1
    assert seen > 60


def test_numpy_2_stays_out_of_old_releases():
    answer = devicekit.resolve("cpu", python="3.10", platform=LINUX, keep=["tensorflow==2.10.*"])
    assert answer.pin("numpy").version == "1.26.4"
    assert "needs numpy<2: with numpy 2.0.0 the import fails" in answer.pin("numpy").because
    assert versions(answer)["protobuf"] in SpecifierSet("<4")
    assert answer.command.startswith("python -m pip install tensorflow==2.10.1 ")
    assert "numpy==1.26.4" in answer.command


def test_directml_is_the_plugin_with_its_one_tensorflow():
    answer = devicekit.resolve("directml", python="3.10", platform="windows-amd64")
    assert versions(answer)["tensorflow-directml-plugin"] == "0.4.0.dev230202"
    assert versions(answer)["tensorflow-cpu"] == "2.10.0"
    older = devicekit.resolve("directml", python="3.7", platform="windows-amd64", keep=["tensorflow==1.15.*"])
    assert versions(older)["tensorflow-directml"] == "1.15.8"
    named = devicekit.resolve("directml", python="3.7", platform="windows-amd64", keep=["tensorflow-directml"])
    assert versions(named) == versions(older)


def test_directml_on_python_3_12_says_what_is_near():
    answer = devicekit.resolve("directml", python="3.12", platform="windows-amd64")
    assert not answer.possible
    assert any("3.7 to 3.10 only, not for 3.12" in text for text in answer.obstacles)
    assert any(item.text.startswith("Python 3.10") for item in answer.alternatives)
    for item in answer.alternatives:
        assert devicekit_command(item.arguments)["possible"], item.text


def devicekit_command(arguments):
    done = subprocess.run(
        [sys.executable, "-m", "devicekit", "resolve", *arguments, "--json"], stdout=subprocess.PIPE, timeout=120
    )
    return json.loads(done.stdout.decode("utf-8"))


def test_cuda_takes_the_newest_release_that_finds_its_libraries():
    answer = for_target("gpu", nvidia())
    assert answer.goal == "cuda"
    tensorflow = answer.pin("tensorflow")
    assert tensorflow.extras == ("and-cuda",)
    assert tensorflow.version == "2.20.0"
    assert "cuSOLVER" in tensorflow.because
    kept = for_target("gpu", nvidia(), keep=["tensorflow==2.21.*"])
    assert versions(kept)["tensorflow"] == "2.21.0"
    assert any("LD_LIBRARY_PATH" in need.text for need in kept.needs)


@pytest.mark.parametrize("capability, cudnn", [("6.1", "<9.11"), ("7.0", "<9.11"), ("7.5", ">=9.11"), ("", ">=9.11")])
def test_cudnn_by_the_generation_of_the_gpu(capability, cudnn):
    assert versions(for_target("gpu", nvidia(capability)))["nvidia-cudnn-cu12"] in SpecifierSet(cudnn)


def test_an_old_gpu_gets_a_release_that_has_code_for_it():
    maxwell = for_target("gpu", nvidia("5.2"))
    assert versions(maxwell)["tensorflow"] in SpecifierSet("<2.17")
    kepler = for_target("gpu", nvidia("3.5", "470.256.02", python="3.9"))
    assert versions(kepler)["tensorflow"] in SpecifierSet("<2.15")
    assert versions(kepler)["nvidia-cudnn-cu11"] in SpecifierSet("<8.8")
    assert any("LD_LIBRARY_PATH" in need.text for need in kepler.needs) == (versions(kepler)["tensorflow"] < "2.14")


@pytest.mark.parametrize("framework", ["tensorflow", "torch", "jax"])
@pytest.mark.parametrize(
    "capability, driver, said",
    [
        ("6.1", "595.58.03", "580 is the last branch"),
        ("12.0", "550.54.15", "550.54.15 is loaded; 5"),
        ("8.6", "390.157", "390.157 is loaded; 5"),
    ],
)
def test_a_driver_that_cannot_run_it_is_refused(framework, capability, driver, said):
    refused = for_target("cuda", nvidia(capability, driver), framework)
    assert isinstance(refused, tuple)
    assert any(said in text for text in refused), refused


def test_the_drivers_that_an_old_gpu_takes_are_named():
    for framework in ("tensorflow", "torch", "jax"):
        answer = for_target("cuda", nvidia("7.0"), framework)
        assert any("up to branch 580 (the last one for compute capability 7.0" in need.text for need in answer.needs)
    # One GPU that the driver still supports is enough.
    both = for_target("cuda", nvidia("6.1", "595.58.03").replace(capabilities=("6.1", "8.9")))
    assert all(need.met is not False for need in both.needs)
    nothing = for_target("cuda", nvidia("3.7", "470.256.02", python="3.11"), "jax")
    assert any("470 is the last branch for compute capability 3.7" in text for text in nothing)


@pytest.mark.parametrize("capability, bound", [("5.2", "<2.8"), ("6.1", "<2.8"), ("7.0", "<2.11"), ("7.5", ">=2.11")])
def test_pytorch_has_code_for_the_gpu(capability, bound):
    assert versions(for_target("cuda", nvidia(capability, "580.95.05"), "torch"))["torch"] in SpecifierSet(bound)


@pytest.mark.parametrize("frameworks", [("tensorflow", "torch"), ("jax", "torch"), ("tensorflow", "jax", "torch")])
@pytest.mark.parametrize("driver", ["550.54.15", "580.95.05"])
def test_frameworks_of_one_environment_share_their_libraries(frameworks, driver):
    answer = for_target("cuda", nvidia(driver=driver), frameworks[0], also=frameworks[1:])
    found, matrix = versions(answer), Matrix()
    assert meets_all_requirements(answer) == []
    for name, version in found.items():
        for file, writers in matrix.overlaps(name):
            others = [item for item in writers if item != name and item in found]
            assert not (accepts(writers[name], version) and others), (file, name, others)
    assert sum("cudnn" in name for name in found) == 1
    assert sum("nccl" in name for name in found) == 1
    if "tensorflow" in frameworks and driver.startswith("580"):
        assert "which both write nvidia/cudnn/lib/libcudnn.so.9" in answer.pin("torch").because


@pytest.mark.parametrize(
    "gpu, bound", [("GeForce GTX 1080", "<9.11"), ("7.0", "<9.11"), ("NVIDIA L4", ">=9.11"), ("nvidia", ">9")]
)
def test_a_gpu_can_be_named(gpu, bound):
    answer = devicekit.resolve("gpu", python="3.12", platform=LINUX, gpu=gpu)
    assert versions(answer)["nvidia-cudnn-cu12"] in SpecifierSet(bound)
    assert answer.needs[0].met is True
    with pytest.raises(ValueError, match="accepted are nvidia"):
        devicekit.resolve("gpu", python="3.12", platform=LINUX, gpu="Voodoo 2")
    assert devicekit.resolve("gpu", python="3.11", platform=LINUX, gpu="amd").goal == "rocm"


def test_a_gpu_newer_than_the_build_is_told_of_the_wait_or_refused_after_reports():
    answer = for_target("gpu", nvidia("10.0", driver="570.124.06"))
    needs = [need.text for need in answer.needs]
    assert any(
        "no machine code for compute capability 10.0" in text and "only a run can tell" in text for text in needs
    )
    assert not any("machine code" in need.text for need in for_target("gpu", nvidia("9.0")).needs)
    # All GPUs must be concerned: TensorFlow leaves those out that it has no code for.
    both = nvidia("8.6", driver="570.124.06")
    assert for_target("gpu", both.replace(capabilities=("12.0", "8.6"))).possible
    for python in ("3.7", "3.8", "3.9", "3.11", "3.13"):
        obstacles = for_target("gpu", nvidia("12.0", driver="570.124.06", python=python))
        assert any("reported by users to fail on compute capability 12.0" in text for text in obstacles), python
    assert versions(for_target("gpu", nvidia("12.0", driver="570.124.06"), framework="jax"))["jax"]


def test_an_old_driver_gets_an_older_cuda():
    answer = for_target("gpu", nvidia(driver="470.82.01", python="3.10"))
    found = versions(answer)["tensorflow"]
    assert found in SpecifierSet("<2.15")
    assert all(need.met is not False for need in answer.needs)
    nothing = for_target("gpu", nvidia(driver="390.157", python="3.12"))
    assert any("driver" in text for text in nothing)


def test_what_is_missing_here_is_said():
    target = Target("3.12", "linux", "x86_64", "2.36", described=True)
    needs = {need.text: need.met for need in for_target("gpu", target).needs}
    assert needs["an NVIDIA GPU"] is False
    there = {need.text: need.met for need in for_target("gpu", nvidia()).needs}
    assert there["an NVIDIA GPU"] is True
    assert True in [met for text, met in there.items() if "driver" in text]


def test_fastest_follows_the_hardware():
    assert for_target("fastest", nvidia()).goal == "cuda"
    assert for_target("fastest", Target("3.12", "linux", "x86_64", "2.36", described=True)).goal == "cpu"
    amd = Target("3.11", "linux", "x86_64", "2.36", described=True, vendors=("amd",))
    assert for_target("fastest", amd).goal == "rocm"
    # Intel's extension ends before Python 3.12: then the CPU is the fastest there is.
    intel = Target("3.12", "linux", "x86_64", "2.36", described=True, vendors=("intel",))
    assert for_target("fastest", intel).goal == "cpu"
    radeon = Target("3.10", "windows", "x86_64", described=True, vendors=("amd",), directx=True)
    assert for_target("fastest", radeon).goal == "directml"
    apple = Target("3.11", "macos", "aarch64", macos="14", described=True, vendors=("apple",))
    assert for_target("fastest", apple).goal == "metal"
    wsl = Target("3.10", "linux", "x86_64", "2.36", described=True, vendors=("amd",), wsl=2, directx=True)
    assert for_target("fastest", wsl).goal == "directml"


def test_frameworks_that_cannot_meet_are_named():
    refused = for_target("gpu", nvidia(), keep=["torch==2.7.*", "tensorflow==2.18.*"], also=("torch",))
    assert any("nvidia-" in text and "tensorflow 2.18.1" in text and "torch 2.7.1" in text for text in refused)
    answer = for_target("gpu", nvidia(driver="580.65.06"), keep=["tensorflow==2.18.*"], also=("jax",))
    assert meets_all_requirements(answer) == []
    assert "would be newer" in answer.pin("jax").because


def test_the_newest_driver_of_all_frameworks_is_asked_for():
    answer = for_target("gpu", nvidia(driver="580.65.06"), "jax", keep=["torch>=2.11"], also=("torch",))
    assert any("580" in need.text for need in answer.needs)


def test_two_distributions_of_tensorflow_are_never_in_one_set():
    for keep in (["tensorflow-cpu==2.20.*"], ["tensorflow==2.20.*"]):
        found = versions(for_target("cpu", target_for(LINUX, "3.12"), keep=keep))
        assert sum(name in TENSORFLOW_OWNERS for name in found) == 1
    assert isinstance(for_target("gpu", nvidia(), keep=["tensorflow-cpu==2.20.*"]), tuple)
    old = for_target("cpu", target_for(LINUX, "3.9"), keep=["tensorflow-gpu==2.10.1"])
    assert [name for name in versions(old) if name in TENSORFLOW_OWNERS] == ["tensorflow-gpu"]


def test_the_wheel_of_another_name_is_followed():
    windows = devicekit.resolve("cpu", python="3.9", platform="windows-amd64", keep=["tensorflow==2.12.*"])
    assert versions(windows)["tensorflow-intel"] == versions(windows)["tensorflow"]
    # 2.16.1 for this platform requires a release that was never published: nothing can be installed.
    arm = devicekit.resolve("cpu", python="3.10", platform="linux-aarch64", keep=["tensorflow==2.15.0.post1"])
    assert not arm.possible


@pytest.mark.parametrize(
    "kept, near",
    [("tensorflw", "tensorflow"), ("Protobuff<4", "protobuf"), ("requests==2.31.0", ""), ("kearas", "keras")],
)
def test_a_name_that_is_not_known_never_passes_silently(kept, near):
    with pytest.raises(ValueError, match="the data hold nothing of") as error:
        devicekit.resolve("cpu", python="3.12", platform=LINUX, keep=[kept])
    assert ("did you mean %s?" % near in str(error.value)) == bool(near)
    assert "--allow-unknown" in str(error.value)
    answer = devicekit.resolve("cpu", python="3.12", platform=LINUX, keep=[kept, "numpy<2"], allow_unknown=True)
    assert kept in answer.requirements
    assert answer.notes == ("nothing is known of %s: it is passed on as it is" % kept,)
    assert kept in resolution_text(answer, "3.12")


def test_an_unknown_name_stays_allowed_in_the_alternatives():
    answer = devicekit.resolve("metal", python="3.12", platform=LINUX, keep=["requests"], allow_unknown=True)
    assert answer.alternatives
    assert all("--allow-unknown" in item.arguments for item in answer.alternatives if "--keep" in item.arguments)


def test_a_keep_for_other_environments_does_not_count():
    for marker, kept in (("python_version < '3.10'", False), ("sys_platform == 'linux'", True)):
        answer = devicekit.resolve("cpu", python="3.12", platform=LINUX, keep=["numpy<2; %s" % marker])
        assert versions(answer)["numpy"].startswith("1.") == kept
    with pytest.raises(ValueError, match="an address says nothing"):
        devicekit.resolve("cpu", python="3.12", platform=LINUX, keep=["numpy @ https://example.com/numpy.whl"])


@pytest.mark.parametrize("backend, owner", [("jax", "jaxlib"), ("torch", "torch")])
@pytest.mark.parametrize("goal", ["cpu", "cuda"])
def test_keras_on_another_backend_does_not_install_tensorflow(goal, backend, owner):
    answer = devicekit.resolve(goal, framework="keras", also=[backend], python="3.12", platform=LINUX)
    found = versions(answer)
    assert not [name for name in found if name.startswith("tensorflow")]
    assert found["keras"] >= "3"
    assert owner in found
    assert answer.variables == {"KERAS_BACKEND": backend}
    assert any("KERAS_BACKEND=%s" % backend in note for note in answer.notes)
    assert "ENV KERAS_BACKEND=%s\n" % backend in answer.render("dockerfile")
    assert resolution_text(answer, "3.12").startswith("Keras on %s on " % {"jax": "JAX", "torch": "PyTorch"}[backend])


def test_keras_alone_says_what_it_computes_with():
    answer = devicekit.resolve("cpu", framework="keras", python="3.12", platform=LINUX)
    assert "tensorflow-cpu" in versions(answer)
    assert any("Keras computes with TensorFlow here" in note for note in answer.notes)
    assert not answer.variables
    both = devicekit.resolve("cpu", framework="keras", also=["tensorflow", "jax"], python="3.12", platform=LINUX)
    assert {"tensorflow-cpu", "jax", "keras"} <= set(versions(both))
    assert both.variables == {"KERAS_BACKEND": "tensorflow"}
    refused = devicekit.resolve("directml", framework="keras", also=["torch"], python="3.10", platform="windows-amd64")
    assert any("not DirectML" in text for text in refused.obstacles)
    assert any(item.text.startswith("Keras on TensorFlow") for item in refused.alternatives)


def test_keras_follows_the_settings_of_the_machine():
    from devicekit.testing import simulated_machine

    with simulated_machine("linux-cpu", environ={"KERAS_BACKEND": "jax"}):
        assert devicekit.resolve("cpu", framework="keras").frameworks == ("keras", "jax")
        explicit = devicekit.resolve("cpu", framework="keras", also=["tensorflow"])
        assert "jax" not in versions(explicit)
        assert explicit.variables == {"KERAS_BACKEND": "tensorflow"}
    with simulated_machine("linux-cpu", environ={"KERAS_BACKEND": "numpy"}):
        assert devicekit.resolve("cpu", framework="keras").frameworks == ("keras",)


@pytest.mark.parametrize(
    "kept, like",
    [
        ("numpy==1.26.3", "1.26.4"),
        ("protobuf==5.29.3", "5.29."),
        ("h5py==3.12.0", "3.12.1"),
        ("numpy==1.26.99", "1.26.4"),
    ],
)
def test_a_patch_release_that_is_not_bundled_is_like_its_minor_release(kept, like):
    answer = devicekit.resolve("cpu", python="3.12", platform=LINUX, keep=[kept])
    pin = answer.pin(kept.partition("=")[0])
    assert pin.requirement == kept
    assert "not in the bundled data of 2" in pin.because
    assert "taken to be like %s" % like in pin.because
    assert ("yanked" in pin.because) == kept.startswith("h5py")


@pytest.mark.parametrize(
    "python, keep, said",
    [
        # What tf-keras needs would lie over what is kept.
        (
            "3.10",
            ["tensorflow-cpu==2.15.1", "tf-keras==2.15.1"],
            ["tensorflow-cpu==2.15.1 (it is", "needs tensorflow<2.16"],
        ),
        ("3.12", ["tensorflow-cpu==2.21.0", "wrapt==1.10.11"], ["tensorflow-cpu 2.21.0: "]),
    ],
)
def test_no_release_is_denied_because_another_distribution_is_kept(python, keep, said):
    obstacles = devicekit.resolve("cpu", python=python, platform=LINUX, keep=keep).obstacles
    assert all(any(text in item for item in obstacles) for text in said), obstacles
    assert not any("no release for" in item for item in obstacles), obstacles


@pytest.mark.parametrize("kept", ["2.14.1", "2.15.0"])
def test_a_tf_keras_of_an_old_tensorflow(kept):
    """Its first releases declare nothing, and cannot be imported with a TensorFlow before 2.13."""
    keep = ["tf-keras==" + kept]
    for version, python, possible in (("2.8.4", "3.10", False), ("2.12.1", "3.11", False), ("2.13.1", "3.11", True)):
        answer = devicekit.resolve("cpu", python=python, platform=LINUX, keep=["tensorflow==" + version, *keep])
        assert answer.possible is possible, (version, answer)
        assert possible or "tensorflow<2.16,>=2.13" in answer.obstacles[0]
        status = goes_with("tf-keras", kept, "tensorflow", version).status
        assert status == ("compatible" if possible else "incompatible")
    declared = goes_with("tf-keras", "2.15.1", "tensorflow", "2.13.1")
    assert "declares" in declared.because


def test_jax_that_only_tensorflow_requires_does_without_jaxlib():
    # TensorFlow 2.12 requires jax alone and goes on where it finds no jaxlib: that none fits does not rule a set out.
    keep = ["tensorflow==2.12.0", "ml-dtypes==0.0.4"]
    alone = versions(for_target("cpu", target_for(LINUX, "3.8"), keep=keep))
    assert (alone["ml-dtypes"], "jax" in alone, "jaxlib" in alone) == ("0.0.4", True, False)
    assert not hasattr(for_target("cpu", target_for(LINUX, "3.8"), keep=keep, also=("jax",)), "pins")
    assert not hasattr(for_target("cpu", target_for(LINUX, "3.8"), keep=[*keep, "jaxlib==0.4.13"]), "pins")
    usual = versions(for_target("cpu", target_for(LINUX, "3.8"), keep=keep[:1]))
    assert usual["jaxlib"] == usual["jax"]


def test_a_release_that_does_not_exist_is_not_kept():
    for kept in ("numpy==3.0", "keras==4.0", "tensorflow==2.16.0", "numpy==2.0.0rc1"):
        answer = devicekit.resolve("cpu", python="3.12", platform=LINUX, keep=[kept])
        assert any("no known release meets %s" % kept in text for text in answer.obstacles), answer.obstacles


def test_every_release_of_a_dependency_can_be_asked_for():
    """What has wheels for this Python is in the set exactly, or there is a reason other than that it is not there."""
    matrix, target, wrong, seen = Matrix(), target_for(LINUX, "3.11"), [], 0
    for name in (
        "numpy",
        "protobuf",
        "h5py",
        "grpcio",
        "ml-dtypes",
        "scipy",
        "typing-extensions",
        "tensorboard",
        "keras",
    ):
        project = matrix.project(name)
        versions = list(project.unread) + list(project.versions)
        for version in versions[len(name) % 7 :: 7]:
            seen += 1
            answer = for_target("cpu", target, keep=["%s==%s" % (name, version)])
            if isinstance(answer, tuple):
                wrong += [text for text in answer if "release meets" in text]
            elif answer.pin(name).version != version:
                wrong.append((name, version, answer.pin(name)))
    assert wrong == []
    assert seen > 80


def test_goes_with_and_the_rest_know_what_they_do_not_know():
    for other, version in (("numpy", "3.0"), ("keras", "4.0"), ("numpy", "banana"), ("numpy", "")):
        answer = devicekit.matrix.goes_with("tensorflow", "2.21.0", other, version)
        assert answer.status == "unknown", (other, version)
        assert version in answer.because
    assert devicekit.matrix.goes_with("tensorflow", "2.15.1", "numpy", "1.26.3").status == "compatible"
    assert devicekit.matrix.goes_with("tensorflow", "banana", "numpy", "1.26.3").status == "unknown"
    assert devicekit.matrix.has_wheel("tensorflow", "banana", "3.12", LINUX).status == "unknown"
    for python in ("banana", "3", ""):
        assert devicekit.matrix.has_wheel("tensorflow", "2.20.0", python, LINUX).status == "unknown", python
    for capability in ("banana", "9", "", "8.x"):
        assert devicekit.matrix.has_code_for("tensorflow", "2.20.0", capability).status == "unknown", capability
    assert devicekit.matrix.driver_runs("12.5", "banana").status == "unknown"
    assert devicekit.matrix.driver_runs("banana", "550.54.15").status == "unknown"
    assert devicekit.matrix.has_code_for("tensorflow", "3.0", "8.6").status == "unknown"
    assert "did you mean tensorflow?" in devicekit.matrix.has_wheel("tensorflw", "2.20.0", "3.12", LINUX).because


def test_a_32_bit_python_on_windows_gets_the_64_bit_one_or_wsl():
    machine = recorded_machines.load_machine("windows-32-bit")
    for goal in ("gpu", "fastest", "directml"):
        answer = devicekit.resolve(goal, machine=machine)
        assert answer.alternatives
        assert all("linux-x86_64" in item.arguments for item in answer.alternatives if "WSL" in item.text)


def test_musl_and_32_bit_are_said():
    musl = Target("3.12", "linux", "x86_64", "musl", described=True)
    assert any("musl" in text for text in for_target("cpu", musl))
    narrow = Target("3.10", "windows", "x86_64", bits=32, described=True)
    assert any("32-bit" in text for text in for_target("cpu", narrow))
    old = Target("3.12", "linux", "x86_64", "2.17", described=True)
    assert versions(for_target("cpu", old))["tensorflow-cpu"] in SpecifierSet("<2.21")


@pytest.mark.parametrize(
    "arguments, said",
    [
        ({"goal": "quantum"}, "accepted are gpu, cpu"),
        ({"framework": "caffe"}, "accepted are tensorflow"),
        ({"also": ["caffe"]}, "accepted are tensorflow"),
        ({"also": "torch"}, "also is a list of frameworks, not 'torch'"),
        ({"keep": "torch"}, "keep is a list of requirements, not 'torch'"),
        ({"keep": ["==2"]}, "not a valid requirement"),
        ({"python": "three"}, "accepted are 3.7"),
        ({"platform": "beos"}, "accepted are linux-x86_64"),
    ],
)
def test_bad_input(arguments, said):
    with pytest.raises(ValueError, match=said):
        devicekit.resolve(**dict({"python": "3.10", "platform": LINUX}, **arguments))


@pytest.mark.parametrize(
    "arguments, said",
    [
        ({"goal": ["gpu"]}, "goal must be a string"),
        ({"python": 3.11}, "python must be a string, in quotes, not 3.11"),
        ({"platform": b"linux-x86_64"}, "platform must be a string"),
        ({"gpu": 8.6}, "gpu must be a string, in quotes, not 8.6"),
        ({"driver": 535}, "driver must be a string, in quotes, not 535"),
        ({"keep": None}, "keep is a list of requirements, not None"),
        ({"keep": [2.15]}, "cannot keep 2.15: not a valid requirement"),
        ({"also": 1}, "also is a list of frameworks, not 1"),
    ],
)
def test_an_argument_of_another_type_is_named(arguments, said):
    with pytest.raises(ValueError, match=said):
        devicekit.resolve(**dict({"platform": LINUX, "python": "3.10"}, **arguments))


def test_what_a_generator_keeps_is_kept():
    answer = devicekit.resolve("cpu", python="3.10", platform=LINUX, keep=(text for text in ["tensorflow-cpu==2.15.*"]))
    assert any(str(pin.version).startswith("2.15") for pin in answer.pins)


def test_the_answer_is_the_same_twice():
    one = devicekit.resolve("gpu", python="3.11", platform=LINUX, also=["jax"]).to_dict()
    assert one == devicekit.resolve("gpu", python="3.11", platform=LINUX, also=["jax"]).to_dict()
    assert json.loads(json.dumps(one)) == one


def test_the_command_names_another_python():
    answer = devicekit.resolve("gpu", python="3.11", platform=LINUX)
    assert install_command(answer, "3.11").startswith('python -m pip install "tensorflow[and-cuda]==')
    assert install_command(answer, "3.9").startswith("python3.11 -m pip install ")
    windows = devicekit.resolve("cpu", python="3.10", platform="windows-amd64")
    assert install_command(windows, "3.12").startswith("py -3.10 -m pip install ")


def test_text_for_a_person():
    text = resolution_text(devicekit.resolve("cpu", python="3.10", platform=LINUX, keep=["tensorflow==2.10.*"]), "3.10")
    assert "TensorFlow on the CPU, Python 3.10 on Linux x86_64" in text
    assert "To install it:" in text
    refused = resolution_text(devicekit.resolve("metal", python="3.10", platform=LINUX), "3.10")
    assert "not possible" in refused
    assert "Metal is part of macOS" in refused


def test_command_line(capsys):
    assert main(["resolve", "cpu", "--python", "3.10", "--platform", LINUX, "--format", "pip"]) == 0
    assert capsys.readouterr().out.startswith(("python -m pip install ", "python3.10 -m pip install "))
    assert main(["resolve", "metal", "--python", "3.10", "--platform", LINUX, "--format", "pip"]) == 1
    captured = capsys.readouterr()
    assert captured.out == ""
    assert "Metal is part of macOS" in captured.err
    assert main(["resolve", "cpu", "--python", "3.11", "--json", "--keep", "numpy<2"]) == 0
    data = json.loads(capsys.readouterr().out)
    assert data["possible"] is True
    assert any(pin["name"] == "numpy" and pin["version"].startswith("1.") for pin in data["pins"])
    assert main(["resolve", "nonsense"]) == 2
    assert "accepted are" in capsys.readouterr().err


def test_matrix_command(capsys):
    assert main(["matrix", "tensorflow", "2.15", "--json"]) == 0
    data = json.loads(capsys.readouterr().out)
    assert [item["version"] for item in data["releases"]] == ["2.15.0", "2.15.0.post1", "2.15.1"]
    builds = data["releases"][-1]["builds"]
    (cuda,) = [build for build in builds if build["kind"] == "cuda"]
    assert cuda["cuda"] == "12.2"
    assert "libcudnn.so.8" in cuda["libraries"]["linux"]
    assert main(["matrix", "tensorflow", "2.15.1"]) == 0
    assert "CUDA 12.2" in capsys.readouterr().out
    assert main(["matrix", "tensorflow", "9.0"]) == 1
    assert "nearest" in capsys.readouterr().out
    assert main(["matrix", "numpy", "1.26.3"]) == 1
    assert "has the same wheels" in capsys.readouterr().out
    assert main(["matrix", "numpy", "banana"]) == 2
    assert "'banana' is not a version of numpy" in capsys.readouterr().err
    assert main(["matrix", "left-pad"]) == 2
    assert "the matrix has" in capsys.readouterr().err
    assert main(["matrix", "tensorflw"]) == 2
    assert "did you mean tensorflow?" in capsys.readouterr().err


def test_no_framework_is_imported_for_it(python):
    resolving = "devicekit.resolve('cpu', python='3.10', platform='linux-x86_64')"
    code = "import sys, devicekit; %s; print('tensorflow' in sys.modules)" % resolving
    assert python(code).strip() == "False"


@pytest.mark.parametrize(
    "framework, kept, python, brings",
    [
        ("tensorflow", "tensorflow-probability", "3.12", {"tf-keras": ">=2.18", "tensorflow": ">=2.18"}),
        ("tensorflow", "tensorflow-probability==0.20.*", "3.10", {"tensorflow-cpu": "==2.12.*", "keras": "<3"}),
        ("tensorflow", "tensorflow-addons", "3.11", {"tensorflow-cpu": ">=2.13,<2.16"}),
        ("tensorflow", "tensorflow-text==2.16.*", "3.11", {"tensorflow": "==2.16.*"}),
        ("tensorflow", "tensorflow-decision-forests==1.9.2", "3.11", {"tensorflow": "==2.16.2", "tf-keras": ">=2.16"}),
        ("tensorflow", "tensorflow-hub", "3.12", {"tf-keras": ">=2.14.1"}),
        ("tensorflow", "tensorflow-datasets", "3.12", {"tensorflow-metadata": ""}),
        ("keras", "keras-nlp", "3.12", {"keras-hub": "", "tensorflow-text": ""}),
        ("jax", "flax", "3.12", {"jax": ">=0.6"}),
        ("jax", "flax", "3.9", {"flax": ">=0.8"}),
        ("tensorflow", "tensorflow-datasets==4.9.3", "3.9", {"tensorflow-cpu": ""}),
        ("torch", "torchvision==0.20.1", "3.11", {"torch": "==2.5.1"}),
        ("torch", "torchaudio==2.4.*", "3.11", {"torch": "==2.4.*"}),
    ],
)
def test_what_is_kept_brings_what_it_needs(framework, kept, python, brings):
    answer = devicekit.resolve("cpu", framework=framework, python=python, platform=LINUX, keep=[kept])
    found = versions(answer)
    assert meets_all_requirements(answer) == []
    wrong = {name: found.get(name) for name, bound in brings.items() if found.get(name, "") not in SpecifierSet(bound)}
    assert wrong == {}


def test_a_companion_without_tensorflow_does_not_bring_it():
    answer = devicekit.resolve("cpu", framework="jax", python="3.12", platform=LINUX, keep=["tensorflow-probability"])
    assert not set(versions(answer)) & {"tensorflow", "tensorflow-cpu", "tf-keras"}
    assert versions(answer)["jax"] in SpecifierSet("<0.7")


def test_a_companion_goes_with_its_own_tensorflow():
    goes_with = devicekit.matrix.goes_with
    assert goes_with("tensorflow-probability", "0.25.0", "tensorflow-cpu", "2.15.1").status == "incompatible"
    assert goes_with("tensorflow-probability", "0.23.0", "tensorflow", "2.16.2").status == "unknown"
    assert goes_with("tensorflow-addons", "0.23.0", "tensorflow", "2.15.1").status == "compatible"
    assert goes_with("torchvision", "0.20.1", "torch", "2.5.0").status == "incompatible"
    refused = devicekit.resolve(
        "cpu", python="3.11", platform=LINUX, keep=["tensorflow-addons==0.23.0", "tensorflow==2.16.*"]
    )
    assert any("its own code names these releases of TensorFlow" in text for text in refused.obstacles)


def test_a_c_library_without_wheels_is_named(make_machine):
    machine = read_machine(make_machine(files={"/lib/ld-musl-x86_64.so.1": ""}, libc=""), deep=True)
    answer = devicekit.resolve("cpu", machine=machine)
    assert not answer.possible
    assert any("has no wheel for musl" in text for text in answer.obstacles)


def test_what_is_compiled_for_pytorch_comes_from_its_index():
    answer = devicekit.resolve(
        "rocm", framework="torch", gpu="RX 7900 XTX", python="3.12", platform=LINUX, keep=["torchvision"]
    )
    assert answer.pin("torch").index
    assert answer.pin("torchvision").index == answer.pin("torch").index
