-- What an admin manages and a member owns in a workspace: feature switches, positions, photos, invitations.
create schema workspaces;
