import { useRef, useState } from 'preact/hooks'
import { Icon } from '../components/icons.tsx'
import { createSampleFile } from './sample.ts'

/**
 * Accepts a CSV file by drag and drop, from a file dialog, or the sample. Nothing is uploaded yet. Of several dropped
 * files only the first is used.
 */
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
      <p class="runs-drop__title">Drop a CSV file here</p>
      <p class="soft">
        One location per row, up to {maxRows}, with the columns <code>lat</code> and <code>lng</code>, or{' '}
        <code>address</code>, or <code>street</code>, <code>city</code>, <code>state</code>, <code>zip</code>. Other
        columns are passed through.
      </p>
      <div class="row">
        <button type="button" class="button button--main" onClick={() => input.current?.click()}>
          Choose a file
        </button>
        <button type="button" class="button" onClick={() => onFile(createSampleFile(), [])}>
          Use sample data
        </button>
      </div>
      <input
        ref={input}
        class="unseen"
        type="file"
        accept=".csv,.tsv,.txt,text/csv"
        tabIndex={-1}
        aria-label="CSV file"
        onChange={(event) => {
          const file = event.currentTarget.files?.[0]
          // Allows choosing the same file again after it was edited.
          event.currentTarget.value = ''
          if (file) onFile(file, [])
        }}
      />
    </div>
  )
}
