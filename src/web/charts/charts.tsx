import { chartShapesOf, type ChartShape } from './chart-shapes.ts'
import type { ChartSeries } from './series.ts'

type Props = { list: { letter: string; series: ChartSeries[] }[] }

/** The charts of the shown places. */
export function Charts({ list }: Props) {
  if (list.every(({ series }) => series.length === 0)) return null
  return (
    <section class="charts stack" aria-label="Charts">
      <h3>Charts</h3>
      {list.map(({ letter, series }) =>
        series.map((it) => <Chart key={letter + it.title} series={it} letter={letter} />),
      )}
    </section>
  )
}

/** A chart, and its numbers as a table for screen readers. */
export function Chart({ series, letter }: { series: ChartSeries; letter: string }) {
  const { title, source, heading, labels, table } = series
  const { width, height, shapes } = chartShapesOf(series)
  return (
    <figure class="chart">
      <figcaption>
        {letter !== '' && <b>{letter} </b>}
        {title}
      </figcaption>
      <svg viewBox={`0 0 ${width} ${height}`} aria-hidden="true" focusable="false">
        {shapes.map((shape, i) => (
          <Shape key={i} shape={shape} />
        ))}
      </svg>
      <div class="unseen">
        <table>
          <caption>{title}</caption>
          <thead>
            <tr>
              {[heading, ...table.map(({ name }) => name)].map((name) => (
                <th key={name} scope="col">
                  {name}
                </th>
              ))}
            </tr>
          </thead>
          <tbody>
            {labels.map(({ long }, i) => (
              <tr key={long}>
                <th scope="row">{long}</th>
                {table.map(({ name, values }) => (
                  <td key={name}>{values[i]}</td>
                ))}
              </tr>
            ))}
          </tbody>
        </table>
      </div>
      <p class="soft small">{source}</p>
    </figure>
  )
}

function Shape({ shape }: { shape: ChartShape }) {
  if (shape.type === 'text')
    return (
      <text class={`chart__${shape.style}`} x={shape.x} y={shape.y}>
        {shape.text}
      </text>
    )
  if (shape.type === 'path') return <path class={`chart__${shape.style}`} d={shape.d} />
  const { style, x, y, width, height } = shape
  return <rect class={`chart__${style}`} x={x} y={y} width={width} height={height} />
}
