"""How a library on Keras uses devicekit: decide without importing a framework, and leave the talking to the program."""

import json
import logging
import sys
import warnings

import devicekit


def make_model(device="auto", require=False):
    """Build a model of this library on a device.

    Parameters
    ----------
    device : str
        Whatever devicekit understands, such as ``"gpu:1"``.
    require : bool
        Whether to refuse any other device.

    Raises
    ------
    devicekit.DeviceUnavailableError
        With ``require=True``, where the device cannot be used; its findings say why and what to do.
    """
    # The decision costs milliseconds and imports no framework, so it can also stand in a constructor or a command line.
    selection = devicekit.select_device(device)
    # The user's own word goes into the scope, too: the scope decides in the same way, imports TensorFlow, places the
    # weights, and is what raises, or warns of a fallback.
    with devicekit.device_scope(device, require=require):
        from tensorflow import keras  # here, so that importing this library does not import TensorFlow

        model = keras.models.Sequential([keras.Input(shape=(2,)), keras.layers.Dense(4)])
    return model, selection


def show_decision():
    """Decide, print the decision as JSON, and show that nothing else has happened."""
    data = devicekit.select_device("auto", min_memory="2GiB").to_dict()
    data["findings"] = [finding["code"] for finding in data["findings"]]  # whole findings have evidence and fixes, too
    print(json.dumps(data, indent=1))
    print("tensorflow imported:", "tensorflow" in sys.modules)


def main():
    """Show a decision, a refusal, and a model on whatever is there."""
    show_decision()

    # A program that cannot do without the device asks for it, and gets an error instead of a slow run on the CPU.
    try:
        make_model("gpu:63", require=True)
    except devicekit.DeviceUnavailableError as error:
        print("refused:", error)
        print("because of:", [finding.code for finding in error.findings])

    # A program that can do with the CPU gets a warning, which it may turn off, count, or turn into an error: by family
    # (FallbackWarning) or by cause (the text begins with the code). What is turned off is in the log all the same, which
    # the program may send anywhere.
    log = logging.getLogger("devicekit")
    log.setLevel(logging.INFO)
    log.addHandler(logging.StreamHandler(sys.stdout))
    log.handlers[-1].setFormatter(logging.Formatter("log: %(levelname)s %(message)s"))
    with warnings.catch_warnings():
        warnings.simplefilter("ignore", devicekit.FallbackWarning)
        model, selection = make_model("gpu:63")
    print("fallback: %s, to %s: %s" % (selection.fallback, selection.device, selection.reason))
    print("weights:", [tuple(map(int, weight.shape)) for weight in model.weights])


if __name__ == "__main__":
    main()
