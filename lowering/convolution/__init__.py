"""
Convolutions: how one is computed, packed and laid out, for a shape and a target.

`algorithm` chooses, `filters` packs weights as the choice reads them, `winograd` has
the transforms and their costs, `layouts` what is offered to layout assignment, and
`channel_groups` addresses the channels of each group.
"""
