import { Type, type Static } from '@sinclair/typebox'
import { literals, nullable } from '../model/schema.ts'

/** The kinds of evidence, strongest first, and what each means. */
export const evidenceKinds = {
  checked_live: 'Compared with an answer of the live service.',
  recorded: 'The tests replay a recorded answer of the publisher, or read its embedded data.',
  reported: 'Dated public reports about the service agree with how the field is read.',
  documented: 'Public documentation or code describes the service. None of its answers was seen.',
  unconfirmed: 'A detail of the source could not be confirmed. The field is beta.',
} as const
export type EvidenceKind = keyof typeof evidenceKinds

/** The kinds, strongest first. */
export const kindsOfEvidence = Object.keys(evidenceKinds) as EvidenceKind[]

/** What shows that a field is read correctly. */
export const FieldEvidence = Type.Object({
  kind: literals(kindsOfEvidence, {
    description: kindsOfEvidence.map((kind) => `\`${kind}\`: ${evidenceKinds[kind]}`).join(' '),
  }),
  source: Type.String({
    description: 'Where the evidence can be found. For `unconfirmed`: what could not be confirmed.',
  }),
  date: nullable('string', { description: 'Year, month or day of the recording or report, if it is known.' }),
})
export type FieldEvidence = Static<typeof FieldEvidence>
