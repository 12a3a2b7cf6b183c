"""The offline reasoner: a judge made of rules, pure, which cannot be talked into anything."""
