import { useRef, useState } from 'preact/hooks'
import { Icon } from '../parts/icons.tsx'
import { sampleFile } from './sample.ts'

/** Takes a file: dropped, chosen, or the sample. Nothing is sent yet. Of several dropped ones the first is taken, and the names of the others are told. */
export function DropZone({ rowsMax, onFile }: { rowsMax: string; onFile: (file: File, left: string[]) => void }) {
  const [isOver, setOver] = useState(false)
  const input = useRef<HTMLInputElement>(null)
  const drop = (event: DragEvent) => {
    event.preventDefault()
    setOver(false)
    const [file, ...others] = event.dataTransfer?.files ?? []
    if (file)
      onFile(
        file,
        others.map(({ name }) => name),
      )
  }
  return (
    <div
      class={isOver ? 'runs-drop runs-drop--over' : 'runs-drop'}
      onDragOver={(event) => {
        event.preventDefault()
        setOver(true)
      }}
      onDragLeave={() => setOver(false)}
      onDrop={drop}
    >
      <Icon name="layers" />
      <p class="runs-drop__title">Drop a CSV here</p>
      <p class="soft">
        A row for each place, up to {rowsMax}, with the columns <code>lat</code> and <code>lng</code>, or{' '}
        <code>address</code>, or <code>street</code>, <code>city</code>, <code>state</code>, <code>zip</code>. All
        others come along.
      </p>
      <div class="row">
        <button type="button" class="button button--main" onClick={() => input.current?.click()}>
          Choose a file
        </button>
        <button type="button" class="button" onClick={() => onFile(sampleFile(), [])}>
          Try a sample
        </button>
      </div>
      <input
        ref={input}
        class="unseen"
        type="file"
        accept=".csv,.tsv,.txt,text/csv"
        tabIndex={-1}
        aria-label="The CSV file"
        onChange={(event) => {
          const file = event.currentTarget.files?.[0]
          // The same file can be chosen again, after it was changed.
          event.currentTarget.value = ''
          if (file) onFile(file, [])
        }}
      />
    </div>
  )
}
