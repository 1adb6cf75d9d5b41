import { useState } from 'preact/hooks'
import { Button } from '../../components/buttons.tsx'
import { FileButton, fileDropProps } from '../../components/inputs.tsx'
import { Icon } from '../../components/icons.tsx'

type Props = { maxRows: string; onFile: (file: File, ignoredNames: string[]) => void }

/**
 * Accepts a CSV file or a workbook by drag and drop, from a file dialog, or the sample. Nothing is uploaded yet. Of
 * several dropped files only the first is used.
 */
export function DropZone({ maxRows, onFile }: Props) {
  const [isDragOver, setDragOver] = useState(false)
  const { onDragOver, onDrop } = fileDropProps(onFile)
  return (
    <div
      class={isDragOver ? 'runs-drop runs-drop--over' : 'runs-drop'}
      onDragOver={(event) => {
        onDragOver(event)
        setDragOver(true)
      }}
      onDragLeave={() => setDragOver(false)}
      onDrop={(event) => {
        onDrop(event)
        setDragOver(false)
      }}
    >
      <Icon name="layers" />
      <p class="runs-drop__title">Drop a CSV file or a workbook (.xlsx) here</p>
      <p class="soft">
        One location per row, up to {maxRows}, with the columns <code>lat</code> and <code>lng</code>, or{' '}
        <code>address</code>, or <code>street</code>, <code>city</code>, <code>state</code>, <code>zip</code>. If your
        columns have other names, select them in the next step. The result has every column of the file.
      </p>
      <div class="row">
        <FileButton
          look="main"
          label="CSV file or workbook"
          accept=".csv,.tsv,.txt,.xlsx,text/csv"
          onFile={(file) => onFile(file, [])}
        />
        <Button onClick={() => onFile(createSampleFile(), [])}>Use sample data</Button>
      </div>
    </div>
  )
}

const rows = [
  ['name', 'city', 'lat', 'lng'],
  ['Civic Center', 'Denver, CO', '39.7392', '-104.9903'],
  ['Lincoln Road', 'Miami Beach, FL', '25.7907', '-80.1300'],
  ['Town Hall', 'Paradise, CA', '39.7596', '-121.6219'],
  ['Broadway', 'Boulder, CO', '40.0150', '-105.2705'],
  ['Pike Place', 'Seattle, WA', '47.6097', '-122.3425'],
  ['The Alamo', 'San Antonio, TX', '29.4260', '-98.4861'],
  ['French Quarter', 'New Orleans, LA', '29.9584', '-90.0644'],
  ['Navy Pier', 'Chicago, IL', '41.8917', '-87.6043'],
  ['Fort Point', 'Boston, MA', '42.3505', '-71.0468'],
  ['Old Town', 'Albuquerque, NM', '35.0961', '-106.6700'],
  ['Bayfront', 'Hilo, HI', '19.7241', '-155.0868'],
  ['Ship Creek', 'Anchorage, AK', '61.2216', '-149.8870'],
]

/** Returns a sample file with a dozen locations across the US. */
function createSampleFile(): File {
  const text = rows.map((row) => row.map((cell) => (cell.includes(',') ? `"${cell}"` : cell)).join(',')).join('\r\n')
  return new File([text], 'sample.csv', { type: 'text/csv' })
}
