"""Train the segment classifier.

    python -m benchmarks.training.segments SET [SET ...] [--threads SET] [--out MODEL.npz]
        [--folds 5] [--json]

Reads the pages with gold text of the sets, cuts them into segments, labels each by the share of its
word 2-grams that are in the gold text, and fits gradient-boosted trees; other trees learn to rank
the blocks of each page.  With sets of threads, it learns also from hard pages that are made of the
others (see ``benchmarks.training.hard_pages``), which weigh less.  Then, with folds of whole sites,
prints the F1 of wrappers that were learned, from up to ten pages of each template, with trees that
have not seen the site.  The same sets give the same model.  Needs lightgbm.
"""

from __future__ import annotations

from collections import defaultdict
from statistics import fmean

from benchmarks.sets.bench_set import run_command
from benchmarks.sets.examples import Example, TrainingData
from benchmarks.sets.scores import score_text
from benchmarks.training.command_line import train
from benchmarks.training.folds import TrainedFolds
from forest_scrapy.core import learn


def cross_validate(data: TrainingData, trained: TrainedFolds) -> dict[str, float]:
    """F1 by set, templates and single pages apart, of wrappers learned with trees that have
    seen no page of the site."""
    templates: dict[tuple[int, ...], list[Example]] = defaultdict(list)
    for example in data.examples:
        templates[tuple(map(id, example.siblings))].append(example)
    scores = defaultdict(list)
    for examples in templates.values():
        classifier = trained.classifier_of(examples[0].site)
        siblings = examples[0].siblings
        wrapper = learn([page.page for page in siblings], classifier=classifier)
        name = f"{examples[0].set}, {'template' if len(siblings) > 1 else 'single'}"
        for example in examples:
            text = wrapper.apply(example.page.page, classifier).text
            scores[name].append(score_text(example.gold, text).f1)
    return {name: round(fmean(scores_of_set), 4) for name, scores_of_set in sorted(scores.items())}


def main() -> None:
    train(__doc__ or "", TrainedFolds, cross_validate)


if __name__ == "__main__":
    run_command(main)
