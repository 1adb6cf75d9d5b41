import type { AskAnswer } from '../../ask/ask-answer.ts'

/** Explains the confidence of an answer in one sentence. */
export function confidenceReason({ confidence, fields }: Pick<AskAnswer, 'confidence' | 'fields'>): string {
  const results = Object.values(fields)
  const failed = results.filter(({ status }) => status === 'failed').length
  const found = results.filter(({ status }) => status === 'ok').length
  if (confidence === 'high') return 'All needed fields have answers, and every number in the text is a fetched value.'
  if (confidence === 'medium')
    return failed > 0
      ? `${failed} of ${results.length} fields failed. The answer uses the others.`
      : 'The fields were found by matching words in the question, so some may not be relevant.'
  if (results.length === 0) return 'No field in the catalog matches this question.'
  return found === 0
    ? 'None of the fields has a value at this place.'
    : 'The text contains a number that is not a fetched value. Check it against the fields.'
}
