import { t } from './operator.ts'

/**
 * The operators that are not written yet, by their arguments: the catalog can use them and is checked against them.
 * `scenes` waits for the STAC driver, whose answer it reads.
 */
export const announced = {
  scenes: t.Object({
    expression: t.Optional(t.String()),
    property: t.Optional(t.String()),
    window_days: t.Integer(),
    fallback_days: t.Optional(t.Integer()),
    shift_years: t.Optional(t.Array(t.Integer())),
    combine: t.Optional(t.Literal('difference')),
    scale: t.Optional(t.Number()),
    offset: t.Optional(t.Object({ dn: t.Number(), when: t.String() })),
    mask_keep: t.Optional(t.Array(t.Integer())),
    reducer: t.Optional(t.Literal('median')),
    max_items: t.Optional(t.Integer()),
    max_cloud_pct: t.Optional(t.Number()),
    transform: t.Optional(t.String()),
  }),
}
