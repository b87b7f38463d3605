import { useId } from 'react'

interface TextFieldProps {
  readonly label: string
  readonly name: string
  readonly defaultValue?: string
}

/** A labelled field for several lines. */
export function TextField({ label, name, defaultValue }: TextFieldProps) {
  const id = useId()
  return (
    <div className="flex flex-col gap-1.5">
      <label htmlFor={id} className="font-medium text-ui">
        {label}
      </label>
      <textarea
        id={id}
        name={name}
        rows={4}
        dir="auto"
        defaultValue={defaultValue}
        className="field-sizing-content max-h-80 min-h-24 w-full resize-none rounded-control border border-line-control bg-surface px-3 py-2 text-ink text-read focus-visible:border-focus focus-visible:outline-3 focus-visible:outline-live-edge focus-visible:outline-offset-0"
      />
    </div>
  )
}
