"""What a type checker must refuse: every line that is marked, and no other."""

import devicekit
from devicekit.testing import simulated_machine

devicekit.select_device(3)  # wrong
devicekit.select_device("gpu", min_memory=1.5)  # wrong
devicekit.auto(divice="gpu")  # wrong
print(devicekit.select_device().devices)  # wrong
print(devicekit.no_such_name)  # wrong
devicekit.diagnose().findings[0].code + 1  # wrong
simulated_machine(3)  # wrong
simulated_machine("linux-cpu", environ={"CUDA_VISIBLE_DEVICES": 1})  # wrong
