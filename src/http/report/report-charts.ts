import { chartShapesOf, type ChartShape } from '../../web/charts/chart-shapes.ts'
import type { ChartSeries } from '../../web/charts/series.ts'
import { html, renderTable, type Html } from '../pages/page.ts'

/** The charts of a report by place; none for a place without a series. */
export function reportCharts(list: { letter: string; series: ChartSeries[] }[]): Html {
  const figures = list.flatMap(({ letter, series }) => series.map((it) => chart(it, letter)))
  return figures.length === 0
    ? html``
    : html`<h2>Charts</h2>
        <div class="charts">${figures}</div>`
}

function chart(series: ChartSeries, letter: string): Html {
  const { title, source, heading, labels, table } = series
  const { width, height, shapes } = chartShapesOf(series)
  const rows = labels.map(
    ({ long }, i) =>
      html`<tr>
        <th scope="row">${long}</th>
        ${table.map(({ values }) => html`<td>${values[i]!}</td>`)}
      </tr>`,
  )
  return html`<figure class="chart">
    <h3>${letter === '' ? title : `${letter}: ${title}`}</h3>
    <svg viewBox="0 0 ${String(width)} ${String(height)}" aria-hidden="true">${shapes.map(chartShape)}</svg>
    <div class="unseen">
      ${renderTable([heading, ...table.map(({ name }) => name)], rows, [
        html`<caption>
          ${title}
        </caption>`,
      ])}
    </div>
    <figcaption>${source}</figcaption>
  </figure>`
}

function chartShape(shape: ChartShape): Html {
  if (shape.type === 'path') return html`<path class="${shape.style}" d="${shape.d}" />`
  const [x, y] = [String(shape.x), String(shape.y)]
  return shape.type === 'text'
    ? html`<text class="${shape.style}" x="${x}" y="${y}">${shape.text}</text>`
    : html`<rect
        class="${shape.style}"
        x="${x}"
        y="${y}"
        width="${String(shape.width)}"
        height="${String(shape.height)}"
      />`
}
