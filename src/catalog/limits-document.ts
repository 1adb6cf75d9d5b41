import { Type, type Static } from '@sinclair/typebox'

const Text = Type.String()

/** Every limit of the server by name, with its value, unit and scope. */
export const LimitsDocument = Type.Object({
  limits: Type.Record(Text, Type.Object({ value: Type.Number(), unit: Text, applies_to: Text })),
})
export type LimitsDocument = Static<typeof LimitsDocument>
