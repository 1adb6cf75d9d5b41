import { confidenceLevels, type Confidence } from '../model/outcome.ts'
import type { ConfidenceRule, Dataset, ReadSpec } from './records.ts'

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
export function confidenceOf(dataset: RuledDataset, { stand_in }: Pick<ReadSpec, 'stand_in'>): Confidence {
  return stand_in === undefined ? confidenceRuleOf(dataset).level : 'low'
}

/** Returns the confidence of an expired value: at most `medium`. */
export function confidenceOfStale<Level extends string>(confidence: Level): Level | 'medium' {
  return confidence === 'high' ? 'medium' : confidence
}

/** Errors of the confidence that a dataset states: an unknown level, or no reason. */
export function confidenceErrors({ confidence }: Dataset): string[] {
  if (!confidence) return []
  const { level, reason } = confidence
  return [
    ...(confidenceLevels.includes(level) ? [] : [`${level} is not one of ${confidenceLevels.join(', ')}`]),
    ...(sentence.test(reason) ? [] : ['the reason must be a sentence']),
  ]
}

/** Errors of the reason why a read is a stand-in. */
export function standInErrors({ stand_in }: Pick<ReadSpec, 'stand_in'>): string[] {
  return stand_in === undefined || sentence.test(stand_in) ? [] : ['stand_in must be a sentence']
}

const sentence = /^[A-Z].*\.$/
