import { compileExpression } from './expression.ts'
import { computedFunctions } from './functions.ts'
import { nameSchemaOf, defineOperator, t } from './operator.ts'

/** Computes a value from the inputs, with a formula or a named function. */
export const computedOperator = defineOperator({
  shape: null,
  args: t.Object({
    expression: t.Optional(t.String()),
    function: t.Optional(nameSchemaOf(computedFunctions)),
    arguments: t.Optional(t.Record(t.String(), t.Union([t.String(), t.Number()]))),
  }),
  async run({ expression, function: name, arguments: options = {} }, _none, { inputs, now }) {
    if (expression !== undefined) return compileExpression(expression, Object.keys(inputs))(inputs)
    if (name === undefined) throw new Error('The operation has no `expression` or `function`. Set one of them.')
    return computedFunctions[name](inputs, options, now)
  },
})
