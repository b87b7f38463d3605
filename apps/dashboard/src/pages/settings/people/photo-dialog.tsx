import { useState } from 'react'
import { newAction } from '../../../api/own-fetch.ts'
import { useBrand } from '../../../app/session.ts'
import { useCanWrite } from '../../../live/live.tsx'
import { Avatar } from '../../../ui/avatar.tsx'
import { Button } from '../../../ui/button.tsx'
import { Dialog } from '../../../ui/dialog.tsx'
import { FormError } from '../../../ui/form-error.tsx'
import { useForm } from '../../../ui/use-form.ts'
import { type Crop, CropFrame, cutOut, firstCrop, type Picture, readPicture } from './crop.tsx'
import { peopleApi, readPeopleAgain, usePeopleAct } from './people-data.ts'

interface Pictured {
  readonly user_id: number
  readonly name: string
  readonly photo: string | null
}

interface PhotoProps {
  readonly member: Pictured
  readonly open: boolean
  readonly onOpenChange: (open: boolean) => void
}

/** Chooses a picture and the part of it that is shown. */
export function PhotoDialog({ member, ...dialog }: PhotoProps) {
  return (
    <Dialog {...dialog} title={`Photo of ${member.name}`}>
      <PhotoForm member={member} onDone={() => dialog.onOpenChange(false)} />
    </Dialog>
  )
}

function PhotoForm({ member, onDone }: { readonly member: Pictured; readonly onDone: () => void }) {
  const { brand_id } = useBrand()
  const canWrite = useCanWrite()
  const [picture, setPicture] = useState<Picture>()
  const [crop, setCrop] = useState<Crop>(firstCrop)
  const [unread, setUnread] = useState<string>()
  const params = { brand_id, user_id: String(member.user_id) }
  const form = useForm(
    async () => {
      if (!picture) throw new Error('no picture was chosen')
      const file = await cutOut(picture, crop)
      // The key belongs to the bytes that are sent: another part of the picture is another upload.
      return peopleApi.acting(newAction()).workspaces.changePhoto({ params, file })
    },
    () => {
      void readPeopleAgain()
      onDone()
    },
  )
  const remove = usePeopleAct('The photo was not removed', (_: undefined, api) => api.removePhoto({ params }))
  const choose = async (file: File | undefined) => {
    if (!file) return
    const read = await readPicture(file)
    setUnread(read ? undefined : `${file.name} is no picture that this browser can show.`)
    setPicture(read)
    setCrop(firstCrop)
  }
  return (
    <form onSubmit={form.onSubmit} className="flex flex-col gap-4" noValidate>
      {picture ? (
        <CropFrame picture={picture} crop={crop} onChange={setCrop} />
      ) : (
        <div className="flex items-center gap-4">
          <Avatar
            name={member.name}
            id={String(member.user_id)}
            kind="person"
            size={40}
            image={member.photo}
          />
          <p className="text-ink-2">
            You choose the part that is shown. It is kept without place, camera and other facts of the file.
          </p>
        </div>
      )}
      <label className="flex flex-col gap-1.5">
        <span className="font-medium">{picture ? 'Another picture' : 'Picture'}</span>
        <input
          type="file"
          accept="image/*"
          className="text-ink-2 file:mr-3 file:h-[var(--ch-control)] file:rounded-control file:border file:border-line-strong file:bg-surface file:px-2.5 file:font-medium file:text-ink"
          onChange={({ target }) => void choose(target.files?.[0])}
        />
      </label>
      {unread !== undefined && (
        <p role="alert" className="text-bad">
          {unread}
        </p>
      )}
      <FormError problem={form.problem} />
      <div className="flex gap-2">
        {member.photo !== null && !picture && (
          <Button
            busy={remove.isPending}
            disabled={!canWrite}
            onClick={() => remove.mutate(undefined, { onSuccess: onDone })}
          >
            Remove photo
          </Button>
        )}
        <span className="grow" />
        <Button onClick={onDone}>Cancel</Button>
        <Button type="submit" look="primary" busy={form.isBusy} disabled={!canWrite || !picture}>
          Save photo
        </Button>
      </div>
    </form>
  )
}
