import type { ComponentChildren, InputHTMLAttributes } from 'preact'
import { useRef } from 'preact/hooks'
import { Button } from './buttons.tsx'
import type { IconName } from './icons.tsx'

type InputOption = 'required' | 'maxLength' | 'autocomplete' | 'autocapitalize' | 'spellcheck' | 'placeholder'
type TextFieldProps = Pick<InputHTMLAttributes, InputOption> & {
  value: string
  id: string
  label: string
  hint: string
  onText: (text: string) => void
}

/** A line of text with its label, and a hint below it. */
export function TextField({ id, label, hint, onText, ...attributes }: TextFieldProps) {
  return (
    <div class="field">
      <label for={id}>{label}</label>
      <input id={id} class="input" {...attributes} onInput={(event) => onText(event.currentTarget.value)} />
      <span class="soft small">{hint}</span>
    </div>
  )
}

type SearchProps = {
  label: string
  placeholder?: string
  maxLength?: number
  text: string
  onText: (text: string) => void
  class?: string
}

/** A search that takes effect with each letter. */
export function SearchInput({ label, placeholder = label, maxLength, text, onText, class: name = '' }: SearchProps) {
  return (
    <input
      class={`input ${name}`.trimEnd()}
      type="search"
      aria-label={label}
      placeholder={placeholder}
      maxLength={maxLength}
      value={text}
      onInput={(event) => onText(event.currentTarget.value)}
    />
  )
}

/** Whether a text has every word of a search. An underscore ends a word, too. */
export function hasWords(searched: string, words: string): boolean {
  const lowered = searched.toLowerCase()
  return words
    .toLowerCase()
    .split(/[\s_]+/)
    .every((word) => lowered.includes(word))
}

type SelectProps = {
  id?: string
  label: string
  /** The label is only for screen readers. */
  isBare?: boolean
  options: readonly (readonly [value: string, text: string])[]
  selected: string
  onSelect: (value: string) => void
  class?: string
}

/** The choice of one option from a list. */
export function Select({ id, label, isBare = false, options, selected, onSelect, class: name = '' }: SelectProps) {
  const select = (
    <select
      id={id}
      class="select"
      aria-label={isBare ? label : undefined}
      value={selected}
      onChange={(event) => onSelect(event.currentTarget.value)}
    >
      {options.map(([value, text], i) => (
        <option key={i} value={value}>
          {text}
        </option>
      ))}
    </select>
  )
  if (isBare) return select
  return (
    <label class={`field ${name}`.trimEnd()}>
      <span>{label}</span>
      {select}
    </label>
  )
}

type CheckProps = {
  isChecked: boolean
  onCheck: (isChecked: boolean) => void
  isSmall?: boolean
  title?: string
  children: ComponentChildren
}

/** A checkbox with its label. */
export function Check({ isChecked, onCheck, isSmall = false, title, children }: CheckProps) {
  return (
    <label class={isSmall ? 'check small' : 'check'} title={title}>
      <input type="checkbox" checked={isChecked} onChange={(event) => onCheck(event.currentTarget.checked)} />
      {children}
    </label>
  )
}

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
