import { expressionOf } from './expression.ts'
import { functions } from './functions.ts'
import { nameIn, operator, t } from './operator.ts'

/** A pure function of the inputs: a formula, or one of the list of functions with its settings. */
export const computed = operator({
  over: null,
  args: t.Object({
    expression: t.Optional(t.String()),
    function: t.Optional(nameIn(functions)),
    arguments: t.Optional(t.Record(t.String(), t.Union([t.String(), t.Number()]))),
  }),
  async run({ expression, function: name, arguments: settings = {} }, _none, { inputs, now }) {
    if (expression !== undefined) return expressionOf(expression, Object.keys(inputs))(inputs)
    if (name === undefined) throw new Error('A computation is an expression or a function, and there is neither.')
    return functions[name](inputs, settings, now)
  },
})
