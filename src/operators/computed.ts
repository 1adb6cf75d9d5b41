import { compileExpression } from './expression.ts'
import { computedFunctions } from './functions.ts'
import { nameSchemaOf, defineOperator, t } from './operator.ts'

/** A pure function of the inputs: a formula, or one of the list of functions with its settings. */
export const computedOperator = defineOperator({
  shape: null,
  args: t.Object({
    expression: t.Optional(t.String()),
    function: t.Optional(nameSchemaOf(computedFunctions)),
    arguments: t.Optional(t.Record(t.String(), t.Union([t.String(), t.Number()]))),
  }),
  async run({ expression, function: name, arguments: options = {} }, _none, { inputs, now }) {
    if (expression !== undefined) return compileExpression(expression, Object.keys(inputs))(inputs)
    if (name === undefined) throw new Error('A computation is an expression or a function, and there is neither.')
    return computedFunctions[name](inputs, options, now)
  },
})
