import { useRef } from 'preact/hooks'
import { Button } from './buttons.tsx'
import type { IconName } from './icons.tsx'

type FileButtonProps = { label: string; accept: string; look?: 'main'; icon?: IconName; onFile: (file: File) => void }

/** A button that opens a file dialog. */
export function FileButton({ label, accept, look, icon, onFile }: FileButtonProps) {
  const input = useRef<HTMLInputElement>(null)
  return (
    <>
      <Button {...(look && { look })} {...(icon && { icon })} onClick={() => input.current?.click()}>
        Choose a file
      </Button>
      <input
        ref={input}
        class="unseen"
        type="file"
        accept={accept}
        tabIndex={-1}
        aria-label={label}
        onChange={({ currentTarget }) => {
          const file = currentTarget.files?.[0]
          // Allows choosing the same file again after it was edited.
          currentTarget.value = ''
          if (file) onFile(file)
        }}
      />
    </>
  )
}

/** Makes an element accept a file that is dropped on it. `ignoredNames`: the names of files that were dropped with it. */
export function fileDropProps(onFile: (file: File, ignoredNames: string[]) => void) {
  return {
    onDragOver: (event: DragEvent) => event.preventDefault(),
    onDrop(event: DragEvent) {
      event.preventDefault()
      const [file, ...others] = event.dataTransfer?.files ?? []
      if (file)
        onFile(
          file,
          others.map(({ name }) => name),
        )
    },
  }
}
