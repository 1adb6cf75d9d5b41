import { useState } from 'preact/hooks'
import type { FileShape } from '../../areas/shape/feature-shapes.ts'
import type { ShapesOfFile } from '../../areas/shape/shapes-file.ts'
import type { AreaSelector } from '../../areas/shape/shape-text.ts'
import { pluralize } from '../../model/text.ts'
import { Button } from '../components/buttons.tsx'
import { FileButton, fileDropProps } from '../components/inputs.tsx'
import { ErrorNotice } from '../components/notices.tsx'
import { type RequestError, runRequest } from '../request.ts'
import { readShapesOfFile, readShapesOfText, type DrawnForm } from './shape-input.ts'

/** A list of more shapes would be of no use. */
const listedMax = 1_000

type Props = {
  /** The URL has a shape that cannot be read. */
  isUnreadable: boolean
  onDraw: (form: DrawnForm) => void
  onShape: (shape: AreaSelector, name: string | null) => void
}

/** The ways to name an area: draw it, open a file, or paste it. */
export function ShapeChooser({ isUnreadable, onDraw, onShape }: Props) {
  const [found, setFound] = useState<ShapesOfFile | null>(null)
  const [error, setError] = useState<RequestError | null>(null)
  const show = ({ geometry, name }: FileShape) => onShape({ geometry }, name)
  const read = async (reading: () => Promise<ShapesOfFile>) => {
    const state = await runRequest(reading)
    setError(state.status === 'failed' ? state.error : null)
    const shapes = state.status === 'loaded' ? state.value : null
    setFound(shapes)
    if (shapes?.shapes.length === 1) show(shapes.shapes[0]!)
  }
  return (
    <section class="welcome stack stack--3">
      <h2>What do you want to know about an area?</h2>
      <p>
        Draw a polygon or a line, open a file, or paste a shape. Each field is answered for the whole shape. For a
        polygon you get shares, for a line the sections with each value.
      </p>
      {isUnreadable && (
        <p class="notice notice--bad" role="alert">
          The address of this page has a shape that cannot be read. A long shape is kept only in the tab in which it was
          opened.
        </p>
      )}
      {error && <ErrorNotice error={error} />}
      <h3>Draw on the map</h3>
      <div class="row">
        <Button onClick={() => onDraw('polygon')}>Draw a polygon</Button>
        <Button onClick={() => onDraw('line')}>Draw a line</Button>
      </div>
      <ShapeFile onFile={(file) => void read(() => readShapesOfFile(file))} />
      <PastedShape onText={(text, form) => void read(() => readShapesOfText(text, form))} />
      {found && found.shapes.length > 1 && <ShapeList found={found} onChoose={show} />}
    </section>
  )
}

function ShapeFile({ onFile }: { onFile: (file: File) => void }) {
  return (
    <>
      <h3>Open a file</h3>
      <p class="soft">GeoJSON, KML, KMZ, or a shapefile in a ZIP archive with its .prj file. At most 5 MB.</p>
      <div class="row" {...fileDropProps(onFile)}>
        <FileButton icon="layers" label="File with shapes" accept=".geojson,.json,.kml,.kmz,.zip" onFile={onFile} />
      </div>
    </>
  )
}

function PastedShape({ onText }: { onText: (text: string, form: DrawnForm) => void }) {
  const [text, setText] = useState('')
  return (
    <>
      <h3>
        <label for="shape-text">Paste a shape</label>
      </h3>
      <p class="soft" id="shape-text-help">
        GeoJSON, KML, well-known text (WKT), or coordinates with the latitude first, one per line.
      </p>
      <textarea
        id="shape-text"
        class="areas-paste"
        rows={5}
        aria-describedby="shape-text-help"
        placeholder={'39.7392, -104.9903\n39.7401, -104.9903\n39.7401, -104.9889'}
        value={text}
        onInput={({ currentTarget }) => setText(currentTarget.value)}
      />
      <div class="row">
        <Button disabled={text.trim() === ''} onClick={() => onText(text, 'polygon')}>
          Use as a polygon
        </Button>
        <Button disabled={text.trim() === ''} onClick={() => onText(text, 'line')}>
          Use as a line
        </Button>
      </div>
    </>
  )
}

function ShapeList({
  found: { shapes, ignored },
  onChoose,
}: {
  found: ShapesOfFile
  onChoose: (shape: FileShape) => void
}) {
  return (
    <>
      <h3>Choose one of {pluralize(shapes.length, 'shape')}</h3>
      {ignored > 0 && <p class="soft">{pluralize(ignored, 'other feature')} without a polygon or a line.</p>}
      {shapes.length > listedMax && (
        <p class="soft">
          The first {listedMax.toLocaleString()} are listed. <code>fieldstone run</code> answers all shapes of a file.
        </p>
      )}
      <ul class="areas-list">
        {shapes.slice(0, listedMax).map((shape, i) => (
          <li key={i}>
            <Button look="plain" onClick={() => onChoose(shape)}>
              {shape.name}
            </Button>
          </li>
        ))}
      </ul>
    </>
  )
}
