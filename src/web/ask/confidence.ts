import type { AskAnswer } from '../../ask/ask-answer.ts'

/** Why an answer is as sure as it is, in a sentence. */
export function confidenceReason({ confidence, fields }: Pick<AskAnswer, 'confidence' | 'fields'>): string {
  const results = Object.values(fields)
  const failed = results.filter(({ status }) => status === 'failed').length
  const found = results.filter(({ status }) => status === 'ok').length
  if (confidence === 'high')
    return 'Every field that the question needs has answered, and each number of the answer is a fetched value.'
  if (confidence === 'medium')
    return failed > 0
      ? `${failed} of ${results.length} fields could not be asked; what is said is from the others.`
      : 'The fields were found by words that they share with the question, so they may be beside the point.'
  if (results.length === 0) return 'No field of the catalog was found for this question.'
  return found === 0
    ? 'None of the fields has a value here.'
    : 'A number of the answer is not among the fetched values: check it against the fields.'
}
