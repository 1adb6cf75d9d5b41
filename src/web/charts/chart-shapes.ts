import type { ChartSeries } from './series.ts'

/** A shape of a chart. `style` is its class in the style sheet of the page or of the report. */
export type ChartShape =
  | { type: 'rect'; style: string; x: number; y: number; width: number; height: number }
  | { type: 'text'; style: string; x: number; y: number; text: string }
  | { type: 'path'; style: string; d: string }

/** A chart as shapes, in the coordinates of its view box. */
export type ChartShapes = { width: number; height: number; shapes: ChartShape[] }

const width = 360
const bars = { top: 14, height: 76, gap: 5, labelHeight: 14 }
const rows = { height: 20, gap: 4, label_width: 96, swatch_width: 14 }
/** The style sheets have this many colors for classes. */
const classColors = 6

/** Draws a series: numbers as bars with their values, classes as rows in the order of time, a profile as a line. */
export function chartShapesOf(series: ChartSeries): ChartShapes {
  if (series.kind === 'profile') return profileShapes(series)
  return series.kind === 'numbers' ? barShapes(series.values, series) : rowShapes(series.values, series)
}

const profile = { top: 14, height: 90, labelHeight: 16 }

/** A line through the values, with gaps where there is none, and the numbers of its extremes and of its ends. */
function profileShapes({
  values,
  distances_m,
  labels,
  textOf,
}: Extract<ChartSeries, { kind: 'profile' }>): ChartShapes {
  const numbers = values.filter((value) => value !== null)
  const [least, most] = [Math.min(...numbers), Math.max(...numbers)]
  const end_m = distances_m.at(-1)! || 1
  const baseline = profile.top + profile.height
  const xOf = (i: number) => roundTenth((distances_m[i]! / end_m) * width)
  const yOf = (value: number) => roundTenth(baseline - ((value - least) / (most - least || 1)) * profile.height)
  const commands = values.map((value, i) => {
    if (value === null) return ''
    const isStart = i === 0 || values[i - 1] === null
    return `${isStart ? 'M' : 'L'}${xOf(i)} ${yOf(value)}`
  })
  const end = { text: labels.at(-1)!.short, x: width, y: baseline + profile.labelHeight - 3 }
  const shapes: ChartShape[] = [
    { type: 'path', style: 'axis', d: `M0 ${baseline}H${width}` },
    { type: 'path', style: 'line', d: commands.join('') },
    {
      type: 'text',
      style: 'start',
      x: 0,
      y: profile.top - 4,
      text: `Highest ${textOf(most)}, lowest ${textOf(least)}`,
    },
    { type: 'text', style: 'start', x: 0, y: end.y, text: labels[0]!.short },
    { type: 'text', style: 'end', ...end },
  ]
  return { width, height: baseline + profile.labelHeight, shapes }
}

function barShapes(values: number[], { labels, table }: ChartSeries): ChartShapes {
  const step = width / values.length
  const most = Math.max(...values, 1)
  const baseline = bars.top + bars.height
  const shapes = values.flatMap((value, i): ChartShape[] => {
    const height = (value / most) * bars.height
    const middle = (i + 0.5) * step
    return [
      {
        type: 'rect',
        style: 'bar',
        x: i * step + bars.gap / 2,
        y: baseline - height,
        width: step - bars.gap,
        height,
      },
      { type: 'text', style: 'middle', x: middle, y: baseline - height - 3, text: table[0]!.values[i]! },
      { type: 'text', style: 'middle', x: middle, y: baseline + bars.labelHeight - 3, text: labels[i]!.short },
    ]
  })
  return { width, height: baseline + bars.labelHeight, shapes: shapes.map(rounded) }
}

function rowShapes(values: string[], { labels }: ChartSeries): ChartShapes {
  const classes = [...new Set(values)]
  const shapes = values.flatMap((value, i): ChartShape[] => {
    const y = i * rows.height
    const height = rows.height - rows.gap
    const x = rows.label_width
    const text_y = y + height - 4
    return [
      { type: 'text', style: 'start', x: 0, y: text_y, text: labels[i]!.short },
      {
        type: 'rect',
        style: `class-${classes.indexOf(value) % classColors}`,
        x,
        y,
        width: rows.swatch_width,
        height,
      },
      { type: 'text', style: 'start', x: x + rows.swatch_width + 8, y: text_y, text: value },
    ]
  })
  return { width, height: values.length * rows.height, shapes }
}

function rounded(shape: ChartShape): ChartShape {
  if (shape.type === 'path') return shape
  const at = { x: roundTenth(shape.x), y: roundTenth(shape.y) }
  return shape.type === 'text'
    ? { ...shape, ...at }
    : { ...shape, ...at, width: roundTenth(shape.width), height: roundTenth(shape.height) }
}

function roundTenth(value: number): number {
  return Math.round(value * 10) / 10
}
