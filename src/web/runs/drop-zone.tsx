import { useRef, useState } from 'preact/hooks'
import { Icon } from '../components/icons.tsx'
import { createSampleFile } from './sample.ts'

/** Takes a file: dropped, chosen, or the sample. Nothing is sent yet. Of several dropped ones the first is taken, and the names of the others are told. */
export function DropZone({
  maxRows,
  onFile,
}: {
  maxRows: string
  onFile: (file: File, ignoredNames: string[]) => void
}) {
  const [isDragOver, setDragOver] = useState(false)
  const input = useRef<HTMLInputElement>(null)
  const drop = (event: DragEvent) => {
    event.preventDefault()
    setDragOver(false)
    const [file, ...others] = event.dataTransfer?.files ?? []
    if (file)
      onFile(
        file,
        others.map(({ name }) => name),
      )
  }
  return (
    <div
      class={isDragOver ? 'runs-drop runs-drop--over' : 'runs-drop'}
      onDragOver={(event) => {
        event.preventDefault()
        setDragOver(true)
      }}
      onDragLeave={() => setDragOver(false)}
      onDrop={drop}
    >
      <Icon name="layers" />
      <p class="runs-drop__title">Drop a CSV here</p>
      <p class="soft">
        A row for each place, up to {maxRows}, with the columns <code>lat</code> and <code>lng</code>, or{' '}
        <code>address</code>, or <code>street</code>, <code>city</code>, <code>state</code>, <code>zip</code>. All
        others come along.
      </p>
      <div class="row">
        <button type="button" class="button button--main" onClick={() => input.current?.click()}>
          Choose a file
        </button>
        <button type="button" class="button" onClick={() => onFile(createSampleFile(), [])}>
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
