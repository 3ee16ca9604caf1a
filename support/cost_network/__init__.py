"""Cost networks: discrete variables, costs of states and of pairs, the least sum."""

from glow.support.cost_network.network import CostNetwork, InfeasibleNetworkError
from glow.support.cost_network.search import Solution, solve

__all__ = ["CostNetwork", "InfeasibleNetworkError", "Solution", "solve"]
