import type { ChartSeries } from './series.ts'

/** A shape of a chart. `style` is its class in the style sheet of the page or of the report. */
export type ChartShape =
  | { type: 'rect'; style: string; x: number; y: number; width: number; height: number }
  | { type: 'text'; style: string; x: number; y: number; text: string }

/** A chart as shapes, in the coordinates of its view box. */
export type ChartShapes = { width: number; height: number; shapes: ChartShape[] }

const width = 360
const bars = { top: 14, height: 76, gap: 5, labelHeight: 14 }
const rows = { height: 20, gap: 4, label_width: 96, swatch_width: 14 }
/** The style sheets have this many colors for classes. */
const classColors = 6

/** Draws a series: numbers as bars with their values, classes as rows in the order of time. */
export function chartShapesOf(series: ChartSeries): ChartShapes {
  return series.kind === 'numbers' ? barShapes(series.values, series) : rowShapes(series.values, series)
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
  const round = (value: number) => Math.round(value * 10) / 10
  return shape.type === 'text'
    ? { ...shape, x: round(shape.x), y: round(shape.y) }
    : { ...shape, x: round(shape.x), y: round(shape.y), width: round(shape.width), height: round(shape.height) }
}
