"""Three steps of Adam by PyTorch: the constants in src/net/tests.rs. Run by hand, in an environment of its own.

    pip install torch numpy && python3 crates/srrd-irl/tests/net_torch.py
"""

import torch

torch.set_default_dtype(torch.float64)


def some(at):
    return ((at * 7919 + 104729) % 1000) / 1000 - 0.5


for bend in (torch.nn.Tanh, torch.nn.ReLU):
    net = torch.nn.Sequential(torch.nn.Linear(5, 8), bend(), torch.nn.Linear(8, 6), bend(), torch.nn.Linear(6, 2))
    at = 0
    for layer in net:
        if isinstance(layer, torch.nn.Linear):
            # The parameters of srrd hold the weights of one input side by side; PyTorch those of one output.
            outputs, inputs = layer.weight.shape
            count = outputs * inputs
            layer.weight.data = torch.tensor([some(at + i) for i in range(count)]).reshape(inputs, outputs).T.contiguous()
            layer.bias.data = torch.tensor([some(at + count + i) for i in range(outputs)])
            at += count + outputs
    inputs = torch.tensor([2 * some(i + 500) for i in range(20)]).reshape(4, 5)
    wanted = torch.tensor([some(i + 900) for i in range(8)]).reshape(4, 2)
    adam = torch.optim.Adam(net.parameters(), lr=0.01)
    for _ in range(3):
        loss = 0.5 * ((net(inputs) - wanted) ** 2).sum()
        adam.zero_grad()
        loss.backward()
        adam.step()
    sums = [sum(float((p.detach() ** power).sum()) for p in net.parameters()) for power in (1, 2)]
    print(bend.__name__, [float(f"{x:.12f}") for x in [*sums, float(loss)]])
