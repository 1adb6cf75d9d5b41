import type { Confidence } from '../model/outcome.ts'
import type { ConfidenceRule, Dataset } from './records.ts'

type RuledDataset = Pick<Dataset, 'confidence' | 'shape' | 'margins' | 'uncertainty'>

/** Returns the rule of a dataset: its own, or else the one that follows from the form of its data. */
export function confidenceRuleOf({ confidence, shape, margins, uncertainty }: RuledDataset): ConfidenceRule {
  if (confidence) return confidence
  if (margins) return { level: 'medium', reason: 'Estimates from a sample.' }
  if (uncertainty) return { level: 'medium', reason: 'Generalized outlines.' }
  if (shape === 'raster') return { level: 'medium', reason: 'Cells that are modeled or aggregated.' }
  return { level: 'high', reason: "The publisher's own values, from the current edition." }
}

/** Returns the confidence of the values of a read: `low` if the read is a stand-in for what the field names. */
export function confidenceOf(dataset: RuledDataset, { stand_in }: { stand_in?: string }): Confidence {
  return stand_in === undefined ? confidenceRuleOf(dataset).level : 'low'
}

/** Returns the confidence of an expired value: at most `medium`. */
export function confidenceOfStale<Level extends string>(confidence: Level): Level | 'medium' {
  return confidence === 'high' ? 'medium' : confidence
}
