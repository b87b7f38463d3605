-- Records of a session file are recognised by their ids.
create index messages_native_id on conversations.messages (brand_id, conversation_id, native_id)
  where native_id is not null;
