"""TensorFlow with Keras 2 under its name of today, tf_keras: what is set must be set on the Keras that is used."""

AUTO = """
import json, sys
%s
import devicekit
selection = devicekit.auto("cpu", precision="mixed_bfloat16", seed=3)
import tensorflow as tf, tf_keras
layer = tf_keras.layers.Dense(1)
value = float(tf_keras.initializers.RandomNormal()((1,))[0])
own = tf.keras.layers.Layer is tf_keras.layers.Layer
policies = [tf.keras.mixed_precision.global_policy().name, layer.dtype_policy.name, layer.compute_dtype]
print(json.dumps([selection.framework, policies, own, value]))
"""


def test_where_tf_keras_is_what_tensorflow_takes(program):
    framework, policies, own, value = program(AUTO % "", env={"TF_USE_LEGACY_KERAS": "1"})
    assert (framework, own) == ("tensorflow", True)
    assert policies == ["mixed_bfloat16", "mixed_bfloat16", "bfloat16"]
    assert program(AUTO % "", env={"TF_USE_LEGACY_KERAS": "1"})[3] == value


def test_where_a_library_has_imported_it_beside_keras_3(program):
    framework, policies, own, value = program(AUTO % "import tf_keras", env={"TF_USE_LEGACY_KERAS": None})
    assert (framework, own) == ("tensorflow", False)
    assert policies == ["mixed_bfloat16", "mixed_bfloat16", "bfloat16"]
    assert program(AUTO % "import tf_keras", env={"TF_USE_LEGACY_KERAS": None})[3] == value


def test_it_means_tensorflow_whatever_the_file_of_keras_3_says(program, tmp_path):
    (tmp_path / "keras.json").write_text('{"backend": "jax"}')
    environ = {"TF_USE_LEGACY_KERAS": "1", "KERAS_HOME": str(tmp_path), "KERAS_BACKEND": None}
    code = "import devicekit, json\nprint(json.dumps(devicekit.select_device().framework))"
    assert program(code, env=environ) == "tensorflow"
