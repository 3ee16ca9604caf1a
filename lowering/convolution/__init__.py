"""
Convolutions: how one is computed, packed and laid out, for a shape and a target.

`algorithm` chooses, `filters` packs weights as the choice reads them, `winograd` has
the transforms and their costs, and `layouts` what is offered to layout assignment, and
where the channels of each group lie.
"""
