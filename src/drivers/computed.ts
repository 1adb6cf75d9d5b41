import { defineDriver, t } from './driver.ts'

/** The point itself as a document, the input of pure computations. */
export const computedDriver = defineDriver({
  shapes: ['document'],
  config: t.Object({}),
  open: () => ({ source: async ({ at }: { at: unknown }) => at, vintage: null }),
})
