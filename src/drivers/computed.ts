import { defineDriver, t } from './driver.ts'

/** The point itself, as a document: what pure computations start from. */
export const computedDriver = defineDriver({
  shapes: ['document'],
  config: t.Object({}),
  open: () => ({ source: async ({ at }: { at: unknown }) => at, vintage: null }),
})
