"""How a library on Keras uses devicekit: decide without importing a framework, and leave the talking to the program."""

import json
import sys

import devicekit


def make_model(device="auto", require=False):
    """Build a model of this library on a device.

    Parameters
    ----------
    device : str
        Whatever devicekit understands, such as ``"gpu:1"``.
    require : bool
        Whether to refuse any other device.
    """
    # The scope imports TensorFlow, places the weights, and warns where the device cannot be used.
    with devicekit.device_scope(device, require=require):
        from tensorflow import keras

        return keras.models.Sequential([keras.Input(shape=(2,)), keras.layers.Dense(4)])


def main():
    """Show a decision, a refusal, and a model."""
    # To decide imports nothing, prints nothing and changes nothing: a library may do it at any time.
    selection = devicekit.select_device("auto", min_memory="2GiB")
    data = selection.to_dict()
    data["findings"] = [finding.code for finding in selection.findings]
    print(json.dumps(data, indent=1))
    print("tensorflow imported:", "tensorflow" in sys.modules)
    try:
        make_model("gpu:63", require=True)
    except devicekit.DeviceUnavailableError as error:
        print("refused:", error)
    print("weights:", [tuple(weight.shape) for weight in make_model().weights])


if __name__ == "__main__":
    main()
