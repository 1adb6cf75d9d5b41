import type { ExpressionSpecification } from 'maplibre-gl'

/** Dots reach their smallest size at this count. */
const maxDots = 10_000
/** The radius when zoomed out: for few dots, and for the most dots. */
const [maxFar_px, minFar_px] = [4.5, 1.6]
const close_px = 7

/**
 * Returns the size of dots by their count. Zoomed out, many dots are small so that they do not cover each other; zoomed
 * in, all are large.
 */
export function dotSize(count: number): { radius: ExpressionSpecification; stroke: ExpressionSpecification } {
  const share = Math.min(1, Math.log10(Math.max(1, count / 100)) / Math.log10(maxDots / 100))
  const far_px = maxFar_px + (minFar_px - maxFar_px) * share
  return {
    radius: ['interpolate', ['exponential', 1.5], ['zoom'], 3, far_px, 11, close_px],
    stroke: ['interpolate', ['linear'], ['zoom'], 3, 1 - share, 8, 1],
  }
}
