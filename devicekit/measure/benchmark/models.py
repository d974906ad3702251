"""The models that can be measured by name. Pure data; `devicekit.measure.benchmark.building` makes them.

Images: the networks of tf_cnn_benchmarks, with the inputs and the number of classes of ImageNet and as many weights as
were published: ResNet-50 (He and others 2016, arXiv:1512.03385), MobileNet (Howard and others 2017, arXiv:1704.04861),
VGG-16 (Simonyan and Zisserman 2015, arXiv:1409.1556). Sequences: a small encoder (Vaswani and others 2017,
arXiv:1706.03762) and two layers of LSTM, of a size at which a laptop takes less than a second a step.
"""

from typing import Any, Dict, Optional, Tuple

from ...records import Record


class Model(Record):
    """A model, and the data that it takes.

    Attributes
    ----------
    name : str
    unit : {"images", "sequences", "examples"}
        What one example is.
    shape : tuple of int
        Of one example: height, width and channels; length in tokens; number of features.
    classes : int
        How many there are to distinguish.
    vocabulary : int
        How many tokens there are; 0 if the inputs are not tokens.
    batch_size : int
        What is taken if no one says another.
    optimizer : {"momentum", "adam"}
    parameters : int
        Weights at this shape and this number of classes, those of batch normalization included.
    """

    name: str
    unit: str
    shape: Tuple[int, ...]
    classes: int
    vocabulary: int
    batch_size: int
    optimizer: str
    parameters: int


MODELS = (
    Model("resnet50", "images", (224, 224, 3), 1000, 0, 32, "momentum", 25636712),
    Model("mobilenet", "images", (224, 224, 3), 1000, 0, 32, "momentum", 4253864),
    Model("vgg16", "images", (224, 224, 3), 1000, 0, 16, "momentum", 138357544),
    Model("transformer", "sequences", (128,), 1000, 8192, 32, "adam", 5546472),
    Model("lstm", "sequences", (128,), 1000, 8192, 64, "adam", 2225128),
    Model("mlp", "examples", (784,), 10, 0, 128, "adam", 2913290),
)

#: In the order in which they are listed.
NAMES = tuple(item.name for item in MODELS)


def model_named(name: str) -> Optional[Model]:
    """Return a model by its name, None if there is none of that name."""
    for item in MODELS:
        if item.name == name:
            return item
    return None


def resized(model: Model, task: Dict[str, Any]) -> Model:
    """Return a model with the shape and the classes that a task asks for."""
    shape = task.get("shape")
    return Model(
        model.name,
        model.unit,
        model.shape if shape is None else tuple(int(size) for size in shape),
        int(task.get("classes") or model.classes),
        model.vocabulary,
        model.batch_size,
        model.optimizer,
        model.parameters,
    )
